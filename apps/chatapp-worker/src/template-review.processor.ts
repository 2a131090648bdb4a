import { Processor, WorkerHost } from '@nestjs/bullmq';
import { TEMPLATE_REVIEW_QUEUE, type TemplateReviewJob } from '@signalbox/queues/template-review-queue';
import { WORKER_OPTIONS } from '@signalbox/queues/worker-options';
import { LoggedJobs } from '@signalbox/runtime/logged-jobs';
import type { Job } from 'bullmq';
import { TemplateReviewer } from './template.reviewer.ts';

/** Reviews templates. A job names them; running it again finds them decided. */
@Processor(TEMPLATE_REVIEW_QUEUE, { ...WORKER_OPTIONS, concurrency: 4 })
export class TemplateReviewProcessor extends WorkerHost {
  constructor(
    private readonly reviewer: TemplateReviewer,
    private readonly jobs: LoggedJobs,
  ) {
    super();
  }

  process(job: Job<TemplateReviewJob>): Promise<void> {
    const { templateIds } = job.data;
    return this.jobs.run(job, { templates: templateIds.length }, () => this.reviewer.review(templateIds));
  }
}
