import { Gauge } from 'prom-client';

/** What is told of a queue; BullMQ's Queue fits. */
export interface CountedQueue {
  name: string;
  getJobCounts: (...states: ('waiting' | 'active' | 'delayed')[]) => Promise<Record<string, number>>;
}

/** Shows how many jobs wait, run or are delayed in each queue, counted whenever /metrics is read. */
export function exposeQueues(queues: CountedQueue[]): void {
  const gauge = new Gauge({
    name: 'signalbox_queue_jobs',
    help: 'Jobs by queue and state',
    labelNames: ['queue', 'state'],
    async collect() {
      await Promise.all(queues.map((queue) => countInto(gauge, queue)));
    },
  });
}

/** A queue that is away is left out: the metrics of the process itself must still be readable. */
async function countInto(gauge: Gauge<'queue' | 'state'>, queue: CountedQueue): Promise<void> {
  try {
    const counts = await queue.getJobCounts('waiting', 'active', 'delayed');
    for (const [state, count] of Object.entries(counts)) gauge.set({ queue: queue.name, state }, count);
  } catch {
    gauge.remove({ queue: queue.name });
  }
}
