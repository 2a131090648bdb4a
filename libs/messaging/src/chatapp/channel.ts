import { Injectable } from '@nestjs/common';
import { type ChatRound, type ClaimedChat, fanOutChat } from '@signalbox/database/chat/fan-out';
import { type RecordedSubmit, recordChatSubmits } from '@signalbox/database/messages/submits';
import { type Reclaimed, claimPinned, reclaim } from '@signalbox/database/submissions/reclaim';
import { CHAT_LANES, type ChatLane } from '@signalbox/domain/lane';
import { FAN_OUT_CHUNK, LEASE_SECONDS } from '@signalbox/domain/limits';
import type { OutgoingChatMessage } from '@signalbox/gateways/chat-app-gateway';
import { CALLBACK_QUEUE, REPORT_QUEUES } from '@signalbox/queues/definitions';
import { EntityManager } from 'typeorm';
import { GatewaysRate } from '../gateways/gateways-rate.ts';
import { Channel, type Claim, type Round } from '../lanes/channel.ts';
import { type RefusedSubmission, orRefused, setRefusedAside } from '../lanes/refused-round.ts';
import { noteUnconfirmed } from '../reports/note-unconfirmed.ts';
import { ChatRenderer } from './renderer.ts';

/** Rest of a lane that waits for the rates of its senders: shorter than the burst that a sender may save up. */
const IDLE_ROUND_MS = 100;

/** Gap of codes, and of a lane that has little to send. */
const MIN_GAP_MS = 25;

/** The gap in milliseconds is this times the square root of the number of messages in the last round. */
const GAP_MS_PER_ROOT = 7;

/** Chat-app messages: claimed in rounds only, whose statement keeps to the rates of senders and pairs. */
@Injectable()
export class ChatChannel extends Channel<ClaimedChat, OutgoingChatMessage> {
  readonly name = 'chatapp';
  readonly lanes = CHAT_LANES;
  readonly reportQueues = [CALLBACK_QUEUE, ...Object.values(REPORT_QUEUES)];
  readonly concurrency = 8;

  constructor(
    private readonly db: EntityManager,
    private readonly renderer: ChatRenderer,
    override readonly pace: GatewaysRate,
  ) {
    super();
  }

  /**
   * Grows with the square root of the messages of the last round: 50 ms at 1,000 messages a second, and about 155 ms
   * from 3,200 a second on, where rounds are full. A round, and each step after it, costs nearly the same however few
   * messages it claims, so a busy lane collects more of them; codes wait 25 ms at most. A gap proportional to the
   * messages would not settle: it would shrink to the minimum below some rate, and grow without bound above it.
   */
  override gapMs(lane: ChatLane, claimed: number): number {
    if (lane !== 'CHAT') return MIN_GAP_MS;
    return Math.max(MIN_GAP_MS, GAP_MS_PER_ROOT * Math.sqrt(claimed));
  }

  async claimRound(
    lane: ChatLane,
    after: string | null,
    most: number,
  ): Promise<Round<ClaimedChat> | undefined> {
    const budget = this.pace.reserve(lane, Math.min(FAN_OUT_CHUNK, most));
    if (budget === 0) return undefined;
    let claimed = 0;
    try {
      const claimedAt = performance.now();
      const round = await orRefused(
        fanOutChat(this.db, lane, { budget, after, leaseSeconds: LEASE_SECONDS }),
      );
      claimed = round.messages.length;
      return { ...toClaim(round, claimedAt), after: round.after, delayMs: () => delayMs(round, after) };
    } finally {
      this.pace.chargeRound(budget, claimed);
    }
  }

  setAside(lane: ChatLane, after: string | null): Promise<RefusedSubmission | undefined> {
    const share = { budget: 1, after, leaseSeconds: LEASE_SECONDS };
    return setRefusedAside(this.db, { channel: this.name, lane, after }, (db) => fanOutChat(db, lane, share));
  }

  async reclaim(
    _lane: ChatLane,
    submissionIds: string[],
  ): Promise<Claim<ClaimedChat> & { unfinished: string[] }> {
    const claimedAt = performance.now();
    const claimed = await reclaim<ClaimedChat>(this.db, submissionIds, LEASE_SECONDS);
    return { ...toClaim(claimed, claimedAt), unfinished: claimed.unfinished };
  }

  async claimPinned(lane: ChatLane, gateways: readonly string[]): Promise<Claim<ClaimedChat>> {
    const limits = { limit: FAN_OUT_CHUNK, leaseSeconds: LEASE_SECONDS };
    const claimedAt = performance.now();
    return toClaim(await claimPinned<ClaimedChat>(this.db, lane, gateways, limits), claimedAt);
  }

  render(rows: ClaimedChat[]): Promise<OutgoingChatMessage[]> {
    return this.renderer.render(rows);
  }

  async record(gateway: string | null, submits: RecordedSubmit[], db = this.db): Promise<string[]> {
    await noteUnconfirmed(db, this.name, gateway, submits);
    return recordChatSubmits(db, gateway, submits);
  }
}

function toClaim({ messages, reportIds }: Reclaimed<ClaimedChat>, claimedAt: number): Claim<ClaimedChat> {
  return { rows: messages, claimed: messages.length, skipped: reportIds.length, reportIds, claimedAt };
}

function delayMs({ after, left }: ChatRound, before: string | null): number | undefined {
  if (after !== null || left === 'ready') return 0;
  return before !== null || left === 'paced' ? IDLE_ROUND_MS : undefined;
}
