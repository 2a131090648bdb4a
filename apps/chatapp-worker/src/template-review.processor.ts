import { Processor, WorkerHost } from '@nestjs/bullmq';
import { runLogged } from '@signalbox/messaging/worker/run-logged';
import type { JobData } from '@signalbox/queues/define-queue';
import { TEMPLATE_REVIEW_QUEUE } from '@signalbox/queues/definitions';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { Logger } from '@signalbox/runtime/logger';
import type { Job } from 'bullmq';
import { TemplateReviewer } from './template.reviewer.ts';

/** Reviews templates. A second run of a job finds them decided. */
@Processor(TEMPLATE_REVIEW_QUEUE.name, { ...WORKER_OPTIONS, concurrency: 4 })
export class TemplateReviewProcessor extends WorkerHost {
  constructor(
    private readonly reviewer: TemplateReviewer,
    private readonly logger: Logger,
  ) {
    super();
  }

  process(job: Job<JobData>): Promise<void> {
    const { ids } = job.data;
    return runLogged(this.logger, job, { templates: ids.length }, () => this.reviewer.review(ids));
  }
}
