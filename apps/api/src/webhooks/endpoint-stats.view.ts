import { type EndpointStats, MAX_BACKLOG, SAMPLED_DELIVERIES } from '@signalbox/database/webhooks/deliveries';
import { type Static, Type } from 'typebox';
import { COUNT, MILLISECONDS, SHARE, model, nullable } from '../docs/model.ts';
import { ENDPOINT_STATE, endpointState } from './endpoint-state.view.ts';

export const EndpointStatsView = model('EndpointStats', 'State and recent performance of an endpoint.', {
  ...ENDPOINT_STATE,
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
  const { sampled, delivered, exhausted, failedCalls } = stats;
  const calls = delivered + failedCalls;
  return {
    ...endpointState(stats, MAX_BACKLOG),
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
