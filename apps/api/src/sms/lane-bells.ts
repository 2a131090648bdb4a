import { LANES, type Lane } from '@signalbox/domain/lane';
import { openProducer } from '@signalbox/queues/producer';
import type { QueueSettings } from '@signalbox/queues/queue-connection';
import { SMS_JOB_WEIGHT, SMS_QUEUE, type SmsJob } from '@signalbox/queues/sms-queue';
import { Bell } from '@signalbox/runtime/bell';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';

/** One bell per lane, each for accepted submissions. */
export type LaneBells = Record<Lane, Bell>;

/** Opens the producing ends of the lanes. While the queue is away, rings are lost, and told of in the log. */
export function openLaneBells(settings: QueueSettings, logger: Logger): LaneBells {
  return Object.fromEntries(LANES.map((lane) => [lane, openLaneBell(lane, settings, logger)])) as LaneBells;
}

function openLaneBell(lane: Lane, settings: QueueSettings, logger: Logger): Bell {
  const queue = openProducer<SmsJob>(SMS_QUEUE[lane], settings, (error) =>
    logger.warn({ queue: SMS_QUEUE[lane], error }, 'queue.unreachable'),
  );
  return new Bell({
    enqueue: (submissionIds) => queue.add(SMS_QUEUE[lane], { submissionIds }),
    maxBatch: SMS_JOB_WEIGHT,
    onLost: (error, ids) => logger.warn({ queue: SMS_QUEUE[lane], count: ids.length, error }, 'bell.lost'),
    close: () => closeQueue(queue, logger),
  });
}

/** A queue that is away cannot be taken leave of; the process must drain all the same. */
async function closeQueue(queue: Queue<SmsJob>, logger: Logger): Promise<void> {
  try {
    await queue.close();
  } catch (error) {
    logger.warn({ queue: queue.name, error }, 'queue.unreachable');
    queue.disconnect().catch(() => undefined); // not waited for: a connection that is being made anew never says that it has ended
  }
}
