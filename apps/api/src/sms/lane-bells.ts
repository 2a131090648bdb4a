import { LANES, type Lane } from '@signalbox/domain/lane';
import { closeProducer, openProducer } from '@signalbox/queues/producer';
import type { QueueSettings } from '@signalbox/queues/queue-connection';
import { SMS_JOB_WEIGHT, SMS_QUEUE, type SmsJob } from '@signalbox/queues/sms-queue';
import { Bell } from '@signalbox/runtime/bell';
import type { Logger } from '@signalbox/runtime/logger';

/** One bell per lane, each for accepted submissions. */
export type LaneBells = Record<Lane, Bell>;

/** Opens the producing ends of the lanes. While the queue is away, rings are lost, and told of in the log. */
export async function openLaneBells(settings: QueueSettings, logger: Logger): Promise<LaneBells> {
  const bells = await Promise.all(LANES.map(async (lane) => [lane, await openLaneBell(lane, settings, logger)]));
  return Object.fromEntries(bells) as LaneBells;
}

async function openLaneBell(lane: Lane, settings: QueueSettings, logger: Logger): Promise<Bell> {
  const queue = await openProducer<SmsJob>(SMS_QUEUE[lane], settings, (error) =>
    logger.warn({ queue: SMS_QUEUE[lane], error }, 'queue.unreachable'),
  );
  return new Bell({
    enqueue: (submissionIds) => queue.add(SMS_QUEUE[lane], { submissionIds }),
    maxBatch: SMS_JOB_WEIGHT,
    onLost: (error, ids) => logger.warn({ queue: SMS_QUEUE[lane], count: ids.length, error }, 'bell.lost'),
    close: () => closeProducer(queue),
  });
}
