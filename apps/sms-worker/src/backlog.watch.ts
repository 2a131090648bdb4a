import { countReady } from '@signalbox/database/fair-fan-out';
import { LANES } from '@signalbox/domain/lane';
import { Gauge } from 'prom-client';
import type { EntityManager } from 'typeorm';

const readySubmissions = new Gauge({
  name: 'signalbox_ready_submissions',
  help: 'Accepted sends that wait for their turn, by lane, counted up to 10,000',
  labelNames: ['lane'],
});

/** Tells operators what queues up in front of the lanes. */
export async function watchBacklog(db: EntityManager): Promise<void> {
  for (const { lane, count } of await countReady(db, LANES)) readySubmissions.set({ lane }, count);
}
