import { insertCallbacks } from '@signalbox/database/reports/callbacks';
import { CALLBACK_JOB_WEIGHT, CALLBACK_QUEUE, type CallbackJob } from '@signalbox/queues/callback-queue';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import type { QueueSettings } from '@signalbox/queues/queue-connection';
import { queueBell } from '@signalbox/runtime/queue-bell';
import { CallbackIntake } from '@signalbox/runtime/callback-intake';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';

/** Opens the intake of callbacks. While the queue is away, rings are lost, and told of in the log. */
export async function openCallbackIntake(
  db: EntityManager,
  settings: QueueSettings,
  logger: Logger,
): Promise<CallbackIntake> {
  const queue = await openProducer<CallbackJob>(CALLBACK_QUEUE, settings, (error) =>
    logger.warn({ queue: CALLBACK_QUEUE, error }, 'queue.unreachable'),
  );
  const bell = queueBell(
    queue,
    {
      maxBatch: CALLBACK_JOB_WEIGHT,
      toJob: (callbackIds) => ({ callbackIds }),
      close: () => closeProducer(queue),
    },
    logger,
  );
  return new CallbackIntake((callbacks) => insertCallbacks(db, callbacks), bell);
}
