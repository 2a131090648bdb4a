import { type EndpointStats, MAX_BACKLOG, SAMPLED_DELIVERIES } from '@signalbox/database/webhooks/deliveries';
import { type Static, Type } from 'typebox';
import { COUNT, MILLISECONDS, SHARE, TIME, model, nullable, oneOf } from '../docs/model.ts';

export const EndpointStatsView = model('EndpointStats', 'State and recent performance of an endpoint.', {
  breaker: oneOf(['closed', 'open']),
  openUntil: nullable(TIME),
  failuresInRow: COUNT,
  failingSince: nullable(TIME),
  backlog: Type.Integer({ minimum: 0, description: 'Pending deliveries, counted up to `backlogCountedTo`.' }),
  backlogCountedTo: COUNT,
  nextAttemptAt: nullable(TIME),
  latest: Type.Object(
    {
      deliveries: COUNT,
      countedTo: COUNT,
      delivered: COUNT,
      exhausted: COUNT,
      successRate: nullable(SHARE, 'Share of successful calls; null without calls.'),
      p50Ms: nullable(MILLISECONDS, 'Duration of successful calls.'),
      p95Ms: nullable(MILLISECONDS),
    },
    { description: 'Over the latest attempted deliveries.' },
  ),
});
export type EndpointStatsView = Static<typeof EndpointStatsView>;

export function endpointStatsView(stats: EndpointStats): EndpointStatsView {
  const {
    failuresInRow,
    failingSince,
    openLevel,
    openUntil,
    backlog,
    nextAttemptAt,
    sampled,
    delivered,
    exhausted,
    failedCalls,
  } = stats;
  const calls = delivered + failedCalls;
  return {
    breaker: openLevel > 0 ? 'open' : 'closed',
    openUntil: openUntil?.toISOString() ?? null,
    failuresInRow,
    failingSince: failingSince?.toISOString() ?? null,
    backlog,
    backlogCountedTo: MAX_BACKLOG,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    latest: {
      deliveries: sampled,
      countedTo: SAMPLED_DELIVERIES,
      delivered,
      exhausted,
      successRate: calls === 0 ? null : Math.round((delivered / calls) * 10_000) / 10_000,
      p50Ms: stats.p50Ms,
      p95Ms: stats.p95Ms,
    },
  };
}
