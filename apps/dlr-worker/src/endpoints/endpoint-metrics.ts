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
  help: 'Age of the longest due push, among endpoints that may be called',
});

/** Sets the gauges of all endpoints, the same in every process. By state, not by name: their number has no limit. */
export async function showEndpoints(db: EntityManager): Promise<void> {
  const { overdueSeconds, ...states } = await countEndpoints(db);
  for (const [state, count] of Object.entries(states)) endpoints.set({ state }, count);
  overdue.set(overdueSeconds);
}
