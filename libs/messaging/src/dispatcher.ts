import { Injectable } from '@nestjs/common';
import { wipeDispatched } from '@signalbox/database/submissions/submissions';
import type { AnyLane } from '@signalbox/domain/lane';
import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import { parseMessageId } from '@signalbox/domain/message-id';
import type { OutgoingMessage } from '@signalbox/gateways/gateway';
import { clampDelayMs } from '@signalbox/domain/sanitize';
import { type GatewayBatch, Gateways } from '@signalbox/gateways/gateways';
import { LANE_QUEUES, type LaneJob, reportQueueOf } from '@signalbox/queues/definitions';
import type { JobQueue } from '@signalbox/queues/job-queue';
import { Queues } from '@signalbox/queues/open-queues';
import { EntityManager } from 'typeorm';
import { Channel, type Claim, type ClaimedRow, type Dispatched, type Round } from './channel.ts';
import { Submitter } from './submitter.ts';

const NOTHING: Claim<never> = { rows: [], claimed: 0, skipped: 0, reportIds: [] };

/** Outcome counts of the messages that went to one gateway. */
type Submitted = Pick<Dispatched, 'submitted' | 'throttled' | 'retryAfterMs' | 'rejected' | 'gatewayMs'>;

/**
 * Moves messages from accepted to submitted: claim, write, submit, record, wipe, with one statement per step for the
 * whole batch. Every step repeats harmlessly: only messages that a run has claimed are submitted, and a claim that a
 * dead worker had is free again when its lease ends.
 */
@Injectable()
export class Dispatcher<
  Row extends ClaimedRow = ClaimedRow,
  Message extends OutgoingMessage = OutgoingMessage,
> {
  constructor(
    private readonly db: EntityManager,
    private readonly channel: Channel<Row, Message>,
    private readonly gateways: Gateways<Message>,
    private readonly queues: Queues,
    private readonly submitter: Submitter<Row, Message>,
  ) {}

  /**
   * Submits the pending messages of submissions.
   *
   * @returns its counts, and `left`: the number of submissions that had nothing to fan out
   */
  async dispatch(lane: AnyLane, submissionIds: string[]): Promise<Dispatched & { left: number }> {
    const named = await this.channel.claimNamed?.(lane, submissionIds);
    const { left, unfinished, ...claim } = named ?? { ...NOTHING, left: submissionIds, unfinished: [] };
    // before this chunk is submitted, so that another run claims the next one meanwhile
    this.queueOf(lane).enqueue(unfinished, FAN_OUT_CHUNK);
    const all = left.length === 0 ? claim : merge(claim, await this.reclaim(lane, left));
    return { ...(await this.submit(lane, all)), left: left.length };
  }

  /** Submits pending messages of submissions that are fanned out, and that no worker has claimed. */
  async retry(lane: AnyLane, submissionIds: string[]): Promise<Dispatched> {
    return this.submit(lane, await this.reclaim(lane, submissionIds));
  }

  /** Submits a share of what a lane has ready; undefined when the pace allows nothing now. */
  async dispatchRound(
    lane: AnyLane,
    after: string | null,
  ): Promise<{ round: Round<Row>; dispatched: Dispatched } | undefined> {
    const round = await this.channel.claimRound(lane, after);
    return round && { round, dispatched: await this.submit(lane, round) };
  }

  /** A full claim may have left messages behind: they get another job. */
  private async reclaim(lane: AnyLane, submissionIds: string[]): Promise<Claim<Row>> {
    const claim = await this.channel.reclaim(lane, submissionIds);
    if (claim.claimed + claim.reportIds.length === FAN_OUT_CHUNK) this.enqueueRetry(lane, submissionIds);
    return claim;
  }

  private async submit(
    lane: AnyLane,
    { rows, claimed, skipped, reportIds }: Claim<Row>,
  ): Promise<Dispatched> {
    this.queues.get(reportQueueOf(lane)).enqueue(reportIds);
    const messages = await this.channel.write(rows);
    const submitted = await this.submitAll(lane, messages);
    await this.wipe(rows);
    return { claimed, skipped, ...submitted, unreadable: claimed - messages.length };
  }

  /** Submits messages to the gateway chosen for each. @throws the first error, once the other gateways are recorded */
  private async submitAll(lane: AnyLane, messages: Message[]): Promise<Submitted> {
    const batches = this.gateways.group(messages);
    const results = await Promise.allSettled(batches.map((batch) => this.submitTo(lane, batch)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return sumUp(results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])));
  }

  private async submitTo(lane: AnyLane, batch: GatewayBatch<Message>): Promise<Submitted> {
    const { outcomes, gatewayMs } = await this.submitter.submit(lane, batch);
    const rejected = outcomes.filter((outcome) => outcome.result === 'rejected').length;
    const throttled = outcomes.filter((outcome) => outcome.result === 'throttled');
    const retryAfterMs = Math.max(0, ...throttled.map((outcome) => clampDelayMs(outcome.retryAfterMs)));
    if (throttled.length > 0) this.enqueueRetry(lane, submissionsOf(throttled), retryAfterMs);
    return {
      submitted: batch.messages.length,
      gatewayMs,
      throttled: throttled.length,
      retryAfterMs,
      rejected,
    };
  }

  private async wipe(rows: Row[]): Promise<void> {
    const sealed = new Set(rows.flatMap((row) => (row.sealed ? [row.submissionId] : [])));
    if (sealed.size > 0) await wipeDispatched(this.db, [...sealed]);
  }

  private enqueueRetry(lane: AnyLane, submissionIds: string[], delayMs = 0): void {
    this.queueOf(lane).enqueueJobs(submissionIds, { isRetry: true }, { delayMs });
  }

  private queueOf(lane: AnyLane): JobQueue<LaneJob> {
    return this.queues.get(LANE_QUEUES[lane]);
  }
}

function submissionsOf(outcomes: { messageId: string }[]): string[] {
  return [...new Set(outcomes.flatMap(({ messageId }) => parseMessageId(messageId)?.submissionId ?? []))];
}

function merge<Row extends ClaimedRow>(a: Claim<Row>, b: Claim<Row>): Claim<Row> {
  return {
    rows: [...a.rows, ...b.rows],
    claimed: a.claimed + b.claimed,
    skipped: a.skipped + b.skipped,
    reportIds: [...a.reportIds, ...b.reportIds],
  };
}

function sumUp(all: Submitted[]): Submitted {
  return {
    submitted: sum(all.map(({ submitted }) => submitted)),
    throttled: sum(all.map(({ throttled }) => throttled)),
    rejected: sum(all.map(({ rejected }) => rejected)),
    retryAfterMs: Math.max(0, ...all.map(({ retryAfterMs }) => retryAfterMs)),
    gatewayMs: Math.max(0, ...all.map(({ gatewayMs }) => gatewayMs)),
  };
}

function sum(counts: number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
