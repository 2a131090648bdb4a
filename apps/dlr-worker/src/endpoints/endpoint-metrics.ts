import { type WaitingCounts, countEndpoints, countWaiting } from '@signalbox/database/webhooks/endpoints';
import type { DutyContext } from '@signalbox/messaging/maintenance/duty';
import { Gauge } from 'prom-client';

const NONE: WaitingCounts = { waiting: 0, overdueSeconds: 0, next: null };

const endpoints = new Gauge({
  name: 'signalbox_endpoints',
  help: 'Webhooks by state of their endpoint',
  labelNames: ['state'],
});

const overdue = new Gauge({
  name: 'signalbox_push_overdue_seconds',
  help: 'Seconds that the oldest due push has waited, among endpoints that may be called',
});

/**
 * Makes a duty that sets the gauges, to the same values in every process. Endpoints are counted by state: there is no limit
 * to their number, so none has its own gauge. A pass examines 10,000 of those with waiting pushes; their gauges are set
 * once all of them are.
 *
 * @param countPart counts the next of those behind `after`
 */
export function showEndpoints(countPart = countWaiting): (context: Pick<DutyContext, 'db'>) => Promise<void> {
  let examined = NONE;
  return async ({ db }) => {
    for (const [state, count] of Object.entries(await countEndpoints(db))) endpoints.set({ state }, count);
    const part = await countPart(db, examined.next);
    examined = {
      waiting: examined.waiting + part.waiting,
      overdueSeconds: Math.max(examined.overdueSeconds, part.overdueSeconds),
      next: part.next,
    };
    if (examined.next !== null) return;
    endpoints.set({ state: 'waiting' }, examined.waiting);
    overdue.set(examined.overdueSeconds);
    examined = NONE;
  };
}
