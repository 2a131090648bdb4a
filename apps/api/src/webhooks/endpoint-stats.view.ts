import { type EndpointStats, MAX_BACKLOG, SAMPLED_DELIVERIES } from '@signalbox/database/webhooks/deliveries';

/** State and recent performance of an endpoint. */
export interface EndpointStatsView {
  breaker: 'closed' | 'open';
  openUntil: string | null;
  failuresInRow: number;
  failingSince: string | null;
  /** Pending deliveries, counted up to `backlogCountedTo`. */
  backlog: number;
  backlogCountedTo: number;
  nextAttemptAt: string | null;
  /** Over the latest attempted deliveries. */
  latest: {
    deliveries: number;
    countedTo: number;
    delivered: number;
    exhausted: number;
    /** Share of successful calls, 0 to 1; null without calls. */
    successRate: number | null;
    /** Duration of successful calls. */
    p50Ms: number | null;
    p95Ms: number | null;
  };
}

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
