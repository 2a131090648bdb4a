import type { ChatLane } from '@signalbox/domain/lane';
import { CHAT_LANES } from '@signalbox/domain/lane';
import { parseMessageId } from '@signalbox/domain/message-id';
import { CHATAPP_QUEUE, type ChatappJob } from '@signalbox/queues/chatapp-queue';
import { closeProducer } from '@signalbox/queues/producer';
import type { Logger } from '@signalbox/runtime/logger';
import type { Queue } from 'bullmq';

/** Rings the lanes for messages that are to be taken up again. If a job is lost, the rescuer rings. */
export class ChatappBells {
  constructor(
    private readonly queues: Record<ChatLane, Queue<ChatappJob>>,
    private readonly logger: Logger,
  ) {}

  ringAgain(lane: ChatLane, submissionIds: string[], delayMs = 0): void {
    const queue = CHATAPP_QUEUE[lane];
    this.queues[lane]
      .add(queue, { submissionIds, again: true }, { delay: delayMs })
      .catch((error: unknown) =>
        this.logger.warn({ queue, count: submissionIds.length, error }, 'bell.lost'),
      );
  }

  /** Rings for throttled messages when the last of them is free again. */
  ringLater(lane: ChatLane, throttled: { messageId: string; retryAfterMs: number }[]): void {
    const submissionIds = throttled.flatMap(({ messageId }) => parseMessageId(messageId)?.submissionId ?? []);
    this.ringAgain(lane, submissionIds, Math.max(...throttled.map((message) => message.retryAfterMs)));
  }

  async close(): Promise<void> {
    await Promise.all(CHAT_LANES.map((lane) => closeProducer(this.queues[lane])));
  }
}
