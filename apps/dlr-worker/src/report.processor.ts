import { Processor, WorkerHost } from '@nestjs/bullmq';
import { REPORT_QUEUE, type ReportJob } from '@signalbox/queues/report-queue';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Job } from 'bullmq';
import { ReportDesk } from './report.desk.ts';

/**
 * Applies reports to their messages and pushes what changed. A report is settled once its pushes are written down, so a job
 * that runs again pushes only what no earlier run wrote down, under the same webhook-id.
 */
@Processor(REPORT_QUEUE, { ...WORKER_OPTIONS, concurrency: 8 })
export class ReportProcessor extends WorkerHost {
  constructor(
    private readonly desk: ReportDesk,
    private readonly jobs: LoggedJobs,
  ) {
    super();
  }

  process(job: Job<ReportJob>): Promise<void> {
    return this.jobs.run(job, { reports: job.data.reportIds.length }, () =>
      this.desk.settle(job.data.reportIds),
    );
  }
}
