import { withAdvisoryLock, claimLostReviews } from '@signalbox/database/ops/rescue';
import { oldestJobAt } from '@signalbox/queues/producer';
import type { TemplateReviewJob } from '@signalbox/queues/template-review-queue';
import type { Bell } from '@signalbox/runtime/bell';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';

/** Rings again for templates whose review was lost. Ringing too often does no harm. */
export class ChatappRescuer {
  constructor(
    private readonly db: EntityManager,
    private readonly reviews: Pick<Queue<TemplateReviewJob>, 'getJobs'>,
    private readonly bell: Bell,
    private readonly logger: Logger,
  ) {}

  /** One pass over all that waits. While the queue is away nothing is counted against a row. */
  async rescue(): Promise<void> {
    const lost = await withAdvisoryLock(this.db, 'chatapp', async (db) =>
      claimLostReviews(db, await oldestJobAt(this.reviews)),
    );
    if (!lost?.length) return;
    this.logger.warn({ count: lost.length }, 'template.rescued');
    this.bell.ring(lost);
  }
}
