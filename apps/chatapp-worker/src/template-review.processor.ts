import { Processor, WorkerHost } from '@nestjs/bullmq';
import { runLogged } from '@signalbox/messaging/worker/run-logged';
import { rowsWork } from '@signalbox/messaging/worker/rows-work';
import { runRows } from '@signalbox/messaging/worker/run-rows';
import type { JobData } from '@signalbox/queues/define-queue';
import { TEMPLATE_REVIEW_QUEUE } from '@signalbox/queues/definitions';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { Logger } from '@signalbox/runtime/logger';
import type { Job } from 'bullmq';
import { EntityManager } from 'typeorm';
import { TemplateReviewer } from './template.reviewer.ts';

/** Reviews templates. A second run of a job finds them decided. */
@Processor(TEMPLATE_REVIEW_QUEUE.name, { ...WORKER_OPTIONS, concurrency: 4 })
export class TemplateReviewProcessor extends WorkerHost {
  constructor(
    private readonly reviewer: TemplateReviewer,
    private readonly db: EntityManager,
    private readonly logger: Logger,
  ) {
    super();
  }

  process(job: Job<JobData>): Promise<void> {
    const work = rowsWork(
      this.db,
      'template',
      () => this.worker.closing !== undefined,
      (ids) => this.reviewer.review(ids),
    );
    return runLogged(this.logger, job, { templates: job.data.ids.length }, () => runRows(job, work));
  }
}
