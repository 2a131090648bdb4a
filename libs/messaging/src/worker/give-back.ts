import type { JobData } from '@signalbox/queues/define-queue';
import { type Job, WaitingError } from 'bullmq';

/** The field of a job that was given back. */
export interface GivenBack {
  /** Number of times; absent for a job that never was. */
  givenBack?: number;
}

/**
 * Puts a job that has not begun in front of its queue again, for another process. It does not count as a run.
 *
 * @throws WaitingError, by which BullMQ leaves the job there; the error of a queue that cannot be reached
 */
export async function giveBack(job: Job<JobData<GivenBack>>): Promise<never> {
  const { givenBack = 0 } = job.data;
  await job.updateData({ ...job.data, givenBack: givenBack + 1 });
  await job.moveToWait(job.token);
  throw new WaitingError();
}
