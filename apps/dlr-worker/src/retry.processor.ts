import { Processor, WorkerHost } from '@nestjs/bullmq';
import { PUSH_RETRY_QUEUE, type PushRetryJob } from '@signalbox/queues/push-retry-queue';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Job } from 'bullmq';
import { ReportDesk } from './report.desk.ts';

/** Makes later tries of pushes. Only those claimed by this run are made: a repeated or early job finds none. */
@Processor(PUSH_RETRY_QUEUE, { ...WORKER_OPTIONS, concurrency: 8 })
export class RetryProcessor extends WorkerHost {
  constructor(
    private readonly desk: ReportDesk,
    private readonly jobs: LoggedJobs,
  ) {
    super();
  }

  process(job: Job<PushRetryJob>): Promise<void> {
    return this.jobs.run(job, { pushes: job.data.pushes.length }, () => this.desk.retry(job.data.pushes));
  }
}
