import { countEndpoints } from '@signalbox/database/webhooks/endpoints';
import { Gauge } from 'prom-client';
import type { EntityManager } from 'typeorm';

const endpoints = new Gauge({
  name: 'signalbox_endpoints',
  help: 'Webhooks by how their end point does',
  labelNames: ['state'],
});

const overdue = new Gauge({
  name: 'signalbox_push_overdue_seconds',
  help: 'How long the push that is due longest has waited, of end points that may be called',
});

/** Shows how all end points do, the same in every process. By state and not by name: there may be any number of them. */
export async function showEndpoints(db: EntityManager): Promise<void> {
  const { overdueSeconds, ...states } = await countEndpoints(db);
  for (const [state, count] of Object.entries(states)) endpoints.set({ state }, count);
  overdue.set(overdueSeconds);
}
