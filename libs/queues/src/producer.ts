import { setTimeout } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { type QueueSettings, producerConnection } from './queue-connection.ts';
import { JOB_OPTIONS } from './worker-options.ts';

/** How long a process that starts waits for its queue; it starts without it then. */
const READY_TIMEOUT_MS = 2_000;

/**
 * The producing end of a queue, connected unless the queue is away: the first bells of a new process would be lost otherwise.
 *
 * @param onError told when the connection breaks or comes not up; the calls that meet it fail on their own
 */
export async function openProducer<Job>(
  name: string,
  settings: QueueSettings,
  onError: (error: Error) => void,
): Promise<Queue<Job>> {
  const queue = new Queue<Job>(name, {
    ...producerConnection(settings),
    defaultJobOptions: JOB_OPTIONS,
    streams: { events: { maxLen: 0 } },
  });
  queue.on('error', onError);
  const ready = queue.waitUntilReady().catch(() => undefined); // told of by `onError`
  await Promise.race([ready, setTimeout(READY_TIMEOUT_MS, undefined, { ref: false })]);
  return queue as Queue<Job>;
}

/**
 * Closes a producer. A queue that is away cannot be taken leave of, and its connection, being made anew, never says that it has
 * ended: nobody waits for it, so that a process drains all the same.
 */
export async function closeProducer(queue: Pick<Queue, 'close' | 'disconnect'>): Promise<void> {
  try {
    await queue.close();
  } catch {
    queue.disconnect().catch(() => undefined);
  }
}

/**
 * When the oldest job that waits or runs was made; now, when there is none. A row older than this has no job
 * (design, section 4). Delayed jobs do not count: nothing waits for them.
 */
export async function oldestJobAt(queue: Pick<Queue, 'getJobs'>): Promise<Date> {
  const jobs = await Promise.all([queue.getJobs('active', 0, 0, true), queue.getJobs('waiting', 0, 0, true)]);
  const times = jobs.flat().flatMap((job) => (job ? [job.timestamp] : []));
  return new Date(Math.min(Date.now(), ...times));
}
