import { insertCallbacks } from '@signalbox/database/callbacks';
import { CALLBACK_JOB_WEIGHT, CALLBACK_QUEUE, type CallbackJob } from '@signalbox/queues/callback-queue';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import type { QueueSettings } from '@signalbox/queues/queue-connection';
import { Bell } from '@signalbox/runtime/bell';
import { CallbackIntake } from '@signalbox/runtime/callback-intake';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';

/** Opens the intake of callbacks. While the queue is away, rings are lost, and told of in the log. */
export async function openCallbackIntake(db: EntityManager, settings: QueueSettings, logger: Logger): Promise<CallbackIntake> {
  const queue = await openProducer<CallbackJob>(CALLBACK_QUEUE, settings, (error) =>
    logger.warn({ queue: CALLBACK_QUEUE, error }, 'queue.unreachable'),
  );
  const bell = new Bell({
    enqueue: (callbackIds) => queue.add(CALLBACK_QUEUE, { callbackIds }),
    maxBatch: CALLBACK_JOB_WEIGHT,
    onLost: (error, ids) => logger.warn({ queue: CALLBACK_QUEUE, count: ids.length, error }, 'bell.lost'),
    close: () => closeProducer(queue),
  });
  return new CallbackIntake((callbacks) => insertCallbacks(db, callbacks), bell);
}
