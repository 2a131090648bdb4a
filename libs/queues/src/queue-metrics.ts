import { Gauge } from 'prom-client';

/** A queue whose jobs can be counted. */
export interface CountedQueue {
  readonly name: string;
  countByState: (...states: ('waiting' | 'active' | 'delayed')[]) => Promise<Record<string, number>>;
}

const exposed = new Set<CountedQueue>();

const gauge = new Gauge({
  name: 'signalbox_queue_jobs',
  help: 'Jobs by queue and state',
  labelNames: ['queue', 'state'],
  async collect() {
    await Promise.all(Array.from(exposed, countQueue));
  },
});

/** Exposes the number of waiting, active and delayed jobs of each queue, counted at each read of `/metrics`. */
export function exposeQueues(queues: CountedQueue[]): void {
  for (const queue of queues) exposed.add(queue);
}

/** Removes queues that are closed from the metrics. */
export function concealQueues(queues: Iterable<CountedQueue>): void {
  for (const queue of queues) exposed.delete(queue);
}

/** Omits an unreachable queue, so that the metrics of the process itself stay readable. */
async function countQueue(queue: CountedQueue): Promise<void> {
  const states = ['waiting', 'active', 'delayed'] as const;
  try {
    const counts = await queue.countByState(...states);
    for (const state of states) gauge.set({ queue: queue.name, state }, counts[state] ?? 0);
  } catch {
    for (const state of states) gauge.remove({ queue: queue.name, state });
  }
}
