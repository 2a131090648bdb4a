import { countEndpoints } from '@signalbox/database/webhooks/endpoints';
import { Gauge } from 'prom-client';
import type { EntityManager } from 'typeorm';

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
 * Sets the gauges, to the same values in every process. Endpoints are counted by state: there is no limit to their
 * number, so none has its own gauge.
 */
export async function showEndpoints(db: EntityManager): Promise<void> {
  const { overdueSeconds, ...states } = await countEndpoints(db);
  for (const [state, count] of Object.entries(states)) endpoints.set({ state }, count);
  overdue.set(overdueSeconds);
}
