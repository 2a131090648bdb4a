import { Carriers, REFRESH_CARRIERS_MS } from '@signalbox/database/ops/carriers';
import { sweepEndpointHours } from '@signalbox/database/webhooks/endpoint-hours';
import { sweepPushes } from '@signalbox/database/webhooks/push-sweep';
import { advanceReplays } from '@signalbox/database/webhooks/replays';
import type { Duty, DutyContext, Sweep } from '@signalbox/messaging/maintenance/duty';
import { rescue } from '@signalbox/messaging/maintenance/lost-jobs';
import { Sealer } from '@signalbox/runtime/seal';
import { DuePusher } from './pushes/due-pusher.ts';
import { showDeferred } from './reports/deferred-metrics.ts';
import { DeferredReports } from './reports/deferred-reports.ts';
import { showEndpoints } from './endpoints/endpoint-metrics.ts';
import { Endpoints } from './endpoints/endpoints.ts';
import { ReportSettler } from './reports/report-settler.ts';
import { reseal } from './reseal.ts';

/** Maintenance by the dlr-worker: later tries of pushes, replays, and rescue. */
export const DLR_DUTIES: readonly Duty[] = [
  { name: 'push backlog', everyMs: 500, run: ({ get }) => get(DuePusher).pass() },
  { name: 'deferred reports', everyMs: 500, run: ({ get }) => get(DeferredReports).pass() },
  { name: 'advance replays', everyMs: 500, idleMs: 1_000, run: ({ db }) => advanceReplays(db) },
  rescue('reports', settleReports),
  rescue('reports of codes', settleReports),
  { name: 'count endpoints', everyMs: 10_000, run: showEndpoints() },
  { name: 'count deferred reports', everyMs: 10_000, run: ({ db }) => showDeferred(db) },
  { name: 'refresh carriers', everyMs: REFRESH_CARRIERS_MS, run: ({ get }) => get(Carriers).refresh() },
  {
    name: 'give up pushes',
    everyMs: 60_000,
    lock: 'push sweep',
    sweep: giveUpPushes(),
    logEvent: 'push.given_up',
  },
  {
    name: 'sweep hours of endpoints',
    everyMs: 600_000,
    lock: 'sweep hours of endpoints',
    sweep: ({ db }) => sweepEndpointHours(db),
  },
  { name: 'count calls by hour', everyMs: 10_000, run: ({ get }) => get(Endpoints).flushHours() },
  { name: 'drop idle endpoints', everyMs: 60_000, run: async ({ get }) => get(Endpoints).dropIdle() },
  {
    name: 'reseal secrets',
    everyMs: 60_000,
    run: ({ db, logger, get }) => reseal(db, get(Sealer), logger),
  },
];

/** Gives up pushes, of the next endpoints that wait: a pass ends at those that have none to give up. */
function giveUpPushes(): Sweep['sweep'] {
  let after: string | null = null;
  return async ({ db }) => {
    const { count, next } = await sweepPushes(db, after);
    after = next;
    return count;
  };
}

function settleReports(ids: string[], { get }: DutyContext): Promise<unknown> {
  return get(ReportSettler).settle(ids);
}
