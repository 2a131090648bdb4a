import { Queue } from 'bullmq';
import { type QueueSettings, producerConnection } from './queue-connection.ts';
import { JOB_OPTIONS } from './worker-options.ts';

/**
 * The producing end of a queue.
 *
 * @param onError told when the connection breaks or comes not up; the calls that meet it fail on their own
 */
export function openProducer<Job>(name: string, settings: QueueSettings, onError: (error: Error) => void): Queue<Job> {
  const queue = new Queue<Job>(name, {
    ...producerConnection(settings),
    defaultJobOptions: JOB_OPTIONS,
    streams: { events: { maxLen: 0 } },
  });
  queue.on('error', onError);
  return queue as Queue<Job>;
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
