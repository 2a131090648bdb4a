import { Gauge } from 'prom-client';

const readySubmissions = new Gauge({
  name: 'signalbox_ready_submissions',
  help: 'Accepted sends that wait for their turn, by lane, counted up to 10,000',
  labelNames: ['lane'],
});

/** Tells operators what queues up in front of the lanes. */
export function showBacklog(lanes: readonly { lane: string; count: number }[]): void {
  for (const { lane, count } of lanes) readySubmissions.set({ lane }, count);
}
