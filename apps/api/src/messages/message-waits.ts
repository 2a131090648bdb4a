import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { MessageRecord } from '@signalbox/database/messages/messages';
import { countWorkers } from '@signalbox/database/ops/system';
import type { Channel } from '@signalbox/domain/channel';
import type { Lane, SmsLane } from '@signalbox/domain/lane';
import { MAX_STARTS } from '@signalbox/domain/limits';
import { messageId } from '@signalbox/domain/message-id';
import { routedType } from '@signalbox/domain/routing/routed-type';
import { WORKER_KINDS } from '@signalbox/domain/worker-kinds';
import { explainWait } from '@signalbox/messaging/gateways/explain-wait';
import { LANE_QUEUES } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import type { EntityManager } from 'typeorm';
import { SEARCHES } from '../core.module.ts';

/** Time in which a message is expected to leave. */
const USUAL_MS = 5_000;

/** Explains why pending messages are with no gateway. */
@Injectable()
export class MessageWaits {
  constructor(
    @InjectEntityManager(SEARCHES) private readonly db: EntityManager,
    private readonly queues: Queues,
  ) {}

  /** Names in one sentence the reason why a message waits; null for one that does not, or whose view has the time. */
  async explain(accountId: string, record: MessageRecord): Promise<string | null> {
    if (!isOpen(record)) return null;
    if (record.isSetAside) return 'Its send is parked: an operator releases or discards it.';
    if (record.isAccountPaused && !record.isFannedOut)
      return 'The account is paused: an operator resumes it.';
    const lane = record.lane as Lane;
    const { channel, sender, recipient, category } = record;
    const type = routedType(channel === 'sms' ? (lane as SmsLane) : undefined, category);
    const id = messageId(record.submissionId, record.n);
    const facts = { messageId: id, accountId, sender, recipient, type };
    const wait = await explainWait(this.db, channel, facts);
    if (wait !== undefined) return wait;
    if (record.throttledAt) return 'Its gateway takes no more now: it is tried again.';
    if (Date.now() - record.acceptedAt.getTime() < USUAL_MS) return null;
    if (await this.hasNoWorker(channel))
      return `No ${WORKER_KINDS[channel].app} runs: an operator starts one.`;
    if (await this.isPaused(lane)) return `The lane ${lane} is paused: an operator resumes its queue.`;
    return record.isPaced
      ? 'Its send, or its account, has a limit of messages per second.'
      : `Other messages of the lane ${lane} are sent before it.`;
  }

  private async hasNoWorker(channel: Channel): Promise<boolean> {
    const counts = await countWorkers(this.db);
    return counts.some(({ fleet, workers }) => fleet === channel && workers === 0);
  }

  /** A queue that does not answer is not known to be paused. */
  private isPaused(lane: Lane): Promise<boolean> {
    return this.queues
      .get(LANE_QUEUES[lane])
      .admin.isPaused()
      .catch(() => false);
  }
}

function isOpen({ status, unconfirmed, starts, heldUntil, sendAt }: MessageRecord): boolean {
  const isAhead = (at: Date | null): boolean => at !== null && at.getTime() > Date.now();
  return (
    status === 'PENDING' && !unconfirmed && starts < MAX_STARTS && !isAhead(heldUntil) && !isAhead(sendAt)
  );
}
