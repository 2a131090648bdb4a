import { Processor, WorkerHost } from '@nestjs/bullmq';
import { CALLBACK_QUEUE, type CallbackJob } from '@signalbox/queues/callback-queue';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Job } from 'bullmq';
import { CallbackReader } from './callback.reader.ts';

/** Reads what providers called back with. A callback is marked in the transaction that stores what it says, so a job that runs again finds it read. */
@Processor(CALLBACK_QUEUE, { ...WORKER_OPTIONS, concurrency: 4 })
export class CallbackProcessor extends WorkerHost {
  constructor(
    private readonly reader: CallbackReader,
    private readonly jobs: LoggedJobs,
  ) {
    super();
  }

  process(job: Job<CallbackJob>): Promise<void> {
    const { callbackIds } = job.data;
    return this.jobs.run(job, { named: callbackIds.length }, () => this.reader.read(callbackIds));
  }
}
