import type { JobQueue } from '@signalbox/queues/job-queue';
import { withTimeout } from '@signalbox/runtime/with-timeout';

/** A connection to Redis may be half open: a command on it is then never answered. */
const ANSWER_TIMEOUT_MS = 1_000;

/**
 * Returns the time at which the oldest waiting or running job of some queues was enqueued; a time later than every row
 * when there is none. Call it before a transaction that holds a lock, never inside.
 *
 * @throws Error when a queue is unreachable, or does not answer within a second
 */
export async function oldestJobAt(...queues: Pick<JobQueue, 'name' | 'oldestJobAt'>[]): Promise<Date> {
  const ask = (queue: Pick<JobQueue, 'name' | 'oldestJobAt'>): Promise<Date> =>
    withTimeout(queue.oldestJobAt(), ANSWER_TIMEOUT_MS, `queue ${queue.name}`);
  const oldest = await Promise.all(queues.map(ask));
  return new Date(Math.min(...oldest.map((at) => at.getTime())));
}
