import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Type } from '@nestjs/common';
import { runLogged } from '@signalbox/messaging/worker/run-logged';
import { runRows } from '@signalbox/messaging/worker/run-rows';
import type { JobData, QueueDefinition } from '@signalbox/queues/define-queue';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { Logger } from '@signalbox/runtime/logger';
import type { Job } from 'bullmq';
import { EntityManager } from 'typeorm';
import { ReportSettler } from './report-settler.ts';
import { reportWork } from './report-work.ts';

/**
 * Makes the processor of a queue of reports, which applies them to their messages and pushes what changed. A report is
 * settled once its pushes are recorded, so a job that runs again makes only pushes that no earlier run recorded, under
 * the same webhook-id.
 */
export function reportProcessor(queue: QueueDefinition, concurrency: number): Type<WorkerHost> {
  @Processor(queue.name, { ...WORKER_OPTIONS, concurrency })
  class ReportProcessor extends WorkerHost {
    constructor(
      private readonly reports: ReportSettler,
      private readonly db: EntityManager,
      private readonly logger: Logger,
    ) {
      super();
    }

    process(job: Job<JobData>): Promise<void> {
      const work = reportWork(this.db, (ids) => this.reports.settle(ids));
      return runLogged(this.logger, job, { reports: job.data.ids.length }, () => runRows(job, work));
    }
  }
  return ReportProcessor;
}
