import { closeProducer, openProducer } from '@signalbox/queues/producer';
import type { QueueSettings } from '@signalbox/queues/queue-connection';
import {
  TEMPLATE_REVIEW_JOB_WEIGHT,
  TEMPLATE_REVIEW_QUEUE,
  type TemplateReviewJob,
} from '@signalbox/queues/template-review-queue';
import type { Bell } from '@signalbox/runtime/bell';
import { queueBell } from '@signalbox/runtime/queue-bell';
import type { Logger } from '@signalbox/runtime/logger';

/** Opens a bell for templates that wait for a review; whether a program or a person reviews is for whoever answers. While the queue is away, rings are lost, and told of in the log. */
export async function openReviewBell(settings: QueueSettings, logger: Logger): Promise<Bell> {
  const queue = await openProducer<TemplateReviewJob>(TEMPLATE_REVIEW_QUEUE, settings, (error) =>
    logger.warn({ queue: TEMPLATE_REVIEW_QUEUE, error }, 'queue.unreachable'),
  );
  return queueBell(
    queue,
    {
      maxBatch: TEMPLATE_REVIEW_JOB_WEIGHT,
      toJob: (templateIds) => ({ templateIds }),
      close: () => closeProducer(queue),
    },
    logger,
  );
}
