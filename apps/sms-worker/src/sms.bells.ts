import { LANES, type Lane } from '@signalbox/domain/lane';
import { parseMessageId } from '@signalbox/domain/message-id';
import { closeProducer } from '@signalbox/queues/producer';
import { SMS_JOB_WEIGHT, SMS_QUEUE, type SmsJob } from '@signalbox/queues/sms-queue';
import type { Bell } from '@signalbox/runtime/bell';
import { queueBell } from '@signalbox/runtime/queue-bell';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';

/** Rings the lanes for submissions that have more to do. */
export class SmsBells {
  private readonly bells: Record<Lane, Bell>;

  constructor(
    private readonly queues: Record<Lane, Queue<SmsJob>>,
    private readonly logger: Logger,
  ) {
    this.bells = Object.fromEntries(LANES.map((lane) => [lane, laneBell(queues[lane], logger)])) as Record<
      Lane,
      Bell
    >;
  }

  /** @param weight how many messages of a submission the next run may take on */
  ring(lane: Lane, submissionIds: string[], weight: number): void {
    this.bells[lane].ring(submissionIds, weight);
  }

  /** Rings for messages of these submissions that are to be taken up again. If the job is lost, the rescuer rings. */
  ringAgain(lane: Lane, submissionIds: string[], delayMs = 0): void {
    this.queues[lane]
      .add(SMS_QUEUE[lane], { submissionIds, again: true }, { delay: delayMs })
      .catch((error: unknown) => this.lost(lane, error, submissionIds.length));
  }

  /** Rings for throttled messages when the last of them is free again. */
  ringLater(lane: Lane, throttled: { messageId: string; retryAfterMs: number }[]): void {
    const submissionIds = [
      ...new Set(throttled.flatMap(({ messageId }) => parseMessageId(messageId)?.submissionId ?? [])),
    ];
    this.ringAgain(lane, submissionIds, Math.max(...throttled.map((message) => message.retryAfterMs)));
  }

  async close(): Promise<void> {
    await Promise.all(LANES.map((lane) => this.bells[lane].close()));
    await Promise.all(LANES.map((lane) => closeProducer(this.queues[lane])));
  }

  private lost(lane: Lane, error: unknown, count: number): void {
    this.logger.warn({ queue: SMS_QUEUE[lane], count, error }, 'bell.lost');
  }
}

function laneBell(queue: Queue<SmsJob>, logger: Logger): Bell {
  return queueBell(
    queue,
    { maxBatch: SMS_JOB_WEIGHT, toJob: (submissionIds) => ({ submissionIds }) },
    logger,
  );
}
