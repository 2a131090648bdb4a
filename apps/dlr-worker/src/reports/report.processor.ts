import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import type { Type } from '@nestjs/common';
import { type GivenBack, giveBack } from '@signalbox/messaging/worker/give-back';
import { runLogged } from '@signalbox/messaging/worker/run-logged';
import { rowsWork } from '@signalbox/messaging/worker/rows-work';
import { rowsAtATime, runRows } from '@signalbox/messaging/worker/run-rows';
import type { JobData, QueueDefinition } from '@signalbox/queues/define-queue';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { Logger } from '@signalbox/runtime/logger';
import { WorkLimit } from '@signalbox/runtime/work-limit';
import type { Job } from 'bullmq';
import { EntityManager } from 'typeorm';
import { ReportSettler } from './report-settler.ts';

/**
 * Jobs that a process has at the same time; those beyond the limit of their reports wait here. A job of few reports
 * takes as long as one of many, so a limit of jobs alone would make a queue of small ones slow. By calculation, 48 jobs
 * of a few reports end faster than two producers add them, even if each waits for an endpoint that is just not slow.
 */
const JOBS = 48;

/**
 * Makes the processor of a queue of reports, which applies them to their messages and pushes what changed. A report is
 * settled once its pushes are recorded, so a job that runs again makes only pushes that no earlier run recorded, under
 * the same webhook-id. A job that has not begun when the worker closes goes back to its queue.
 *
 * @param maxReports reports in progress at the same time
 */
export function reportProcessor(queue: QueueDefinition, maxReports: number): Type<WorkerHost> {
  @Processor(queue.name, { ...WORKER_OPTIONS, concurrency: JOBS })
  class ReportProcessor extends WorkerHost {
    private readonly limit = new WorkLimit(maxReports);

    constructor(
      private readonly reports: ReportSettler,
      private readonly db: EntityManager,
      private readonly logger: Logger,
    ) {
      super();
    }

    process(job: Job<JobData<GivenBack>>): Promise<void> {
      const reports = job.data.ids.length;
      const isClosing = (): boolean => this.worker.closing !== undefined;
      const work = rowsWork(this.db, 'message_event', isClosing, (ids) => this.reports.settle(ids));
      const begin = (): Promise<void> =>
        isClosing() ? giveBack(job) : runLogged(this.logger, job, { reports }, () => runRows(job, work));
      // one that BullMQ had taken just before it closed must not wait
      return isClosing() ? begin() : this.limit.run(rowsAtATime(job), begin);
    }

    /** Lets the jobs that wait for the limit go back to their queue immediately. */
    @OnWorkerEvent('closing')
    startWaiting(): void {
      this.limit.startAll();
    }
  }
  return ReportProcessor;
}
