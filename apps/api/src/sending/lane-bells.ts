import { type AnyLane, CHAT_LANES, LANES } from '@signalbox/domain/lane';
import { CHATAPP_JOB_WEIGHT, CHATAPP_QUEUE, type ChatappJob } from '@signalbox/queues/chatapp-queue';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import type { QueueSettings } from '@signalbox/queues/queue-connection';
import { SMS_JOB_WEIGHT, SMS_QUEUE, type SmsJob } from '@signalbox/queues/sms-queue';
import type { Bell } from '@signalbox/runtime/bell';
import { queueBell } from '@signalbox/runtime/queue-bell';
import type { Logger } from '@signalbox/runtime/logger';

/** One bell per lane, each for accepted submissions. */
export type LaneBells = Record<AnyLane, Bell>;

/** Opens the producing ends of the lanes. While the queue is away, rings are lost, and told of in the log. */
export async function openLaneBells(settings: QueueSettings, logger: Logger): Promise<LaneBells> {
  const sms = LANES.map(
    async (lane) => [lane, await openLaneBell(SMS_QUEUE[lane], SMS_JOB_WEIGHT, settings, logger)] as const,
  );
  const chat = CHAT_LANES.map(
    async (lane) =>
      [lane, await openLaneBell(CHATAPP_QUEUE[lane], CHATAPP_JOB_WEIGHT, settings, logger)] as const,
  );
  return Object.fromEntries(await Promise.all([...sms, ...chat])) as LaneBells;
}

async function openLaneBell(
  name: string,
  maxBatch: number,
  settings: QueueSettings,
  logger: Logger,
): Promise<Bell> {
  const queue = await openProducer<SmsJob | ChatappJob>(name, settings, (error) =>
    logger.warn({ queue: name, error }, 'queue.unreachable'),
  );
  return queueBell(
    queue,
    { maxBatch, toJob: (submissionIds) => ({ submissionIds }), close: () => closeProducer(queue) },
    logger,
  );
}
