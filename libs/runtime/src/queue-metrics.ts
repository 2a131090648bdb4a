import { Gauge } from 'prom-client';

/** What is told of a queue; BullMQ's Queue fits. */
export interface CountedQueue {
  name: string;
  getJobCounts: (...states: ('waiting' | 'active' | 'delayed')[]) => Promise<Record<string, number>>;
}

const exposed = new Set<CountedQueue>();

const gauge = new Gauge({
  name: 'signalbox_queue_jobs',
  help: 'Jobs by queue and state',
  labelNames: ['queue', 'state'],
  registers: [], // shown by @signalbox/queues
  async collect() {
    await Promise.all(Array.from(exposed, countQueue));
  },
});

/** Shows how many jobs wait, run or are delayed in each queue, counted whenever /metrics is read. */
export function exposeQueues(queues: CountedQueue[]): void {
  for (const queue of queues) exposed.add(queue);
}

/** A queue that is away is left out: the metrics of the process itself must still be readable. */
async function countQueue(queue: CountedQueue): Promise<void> {
  const states = ['waiting', 'active', 'delayed'] as const;
  try {
    const counts = await queue.getJobCounts(...states);
    for (const state of states) gauge.set({ queue: queue.name, state }, counts[state] ?? 0);
  } catch {
    for (const state of states) gauge.remove({ queue: queue.name, state });
  }
}
