import type { RecordedSubmit } from '@signalbox/database/messages/submits';
import type { Channel as ChannelName } from '@signalbox/domain/channel';
import type { Lane } from '@signalbox/domain/lane';
import type { OutgoingMessage } from '@signalbox/gateways/gateway';
import type { QueueDefinition } from '@signalbox/queues/define-queue';
import type { EntityManager } from 'typeorm';
import type { RefusedSubmission } from './refused-round.ts';

/** Claimed messages of one submission, as the channel renders them. */
export interface ClaimedRow {
  submissionId: string;
  /** Encrypted text or code; wiped once the submission has nothing left to submit. */
  sealed: Buffer | null;
}

/** Messages that one run has claimed. */
export interface Claim<Row extends ClaimedRow = ClaimedRow> {
  rows: Row[];
  /** Number of messages in `rows`. */
  claimed: number;
  /** Number of messages that were fanned out and not claimed, because they ended or are held by quiet hours. */
  skipped: number;
  /** Reports of messages that ended, to be enqueued. */
  reportIds: string[];
  /** When its statement was sent, on the clock of `performance.now()`; of several, the first. */
  claimedAt: number;
}

/** A claim of the submissions that a job names. */
export interface NamedClaim<Row extends ClaimedRow = ClaimedRow> extends Claim<Row> {
  /** Submissions with further chunks to fan out. */
  unfinished: string[];
  /** Number of submissions whose further chunks are left to rounds, because other accounts are active. */
  leftToRounds: number;
  /** Submissions that had no chunk to fan out: they are fanned out already, or may not be now. */
  withoutChunk: string[];
}

/** A claim of what a lane has ready, shared fairly between accounts or senders. */
export interface Round<Row extends ClaimedRow = ClaimedRow> extends Claim<Row> {
  /** Account or sender after which the next round begins; null when a round begins with the first. */
  after: string | null;
  /**
   * Milliseconds until the next round; undefined when nothing is left. Call it once the claim is submitted, with the
   * milliseconds that the round took, without those of its gateways.
   */
  delayMs: (tookMs: number) => number | undefined;
}

/** Counts and times of the submit of some messages. */
export interface SubmitCounts {
  submitted: number;
  /** Submitted messages that were not throttled. */
  taken: number;
  /** By a gateway, or because it may have no more now. */
  throttled: number;
  /** Longest delay that a gateway asked for; 0 without a throttled message. */
  retryAfterMs: number;
  /** Pause of the whole channel: its only gateway throttled most of a batch. 0 when there are others. */
  pauseMs: number;
  rejected: number;
  /** Longest time that a gateway took for its messages. */
  gatewayMs: number;
}

/** Counts and times of one dispatch, as its log line shows them. */
export interface Dispatched extends SubmitCounts, Pick<Claim, 'claimed' | 'skipped'> {
  /** Number of messages that cannot be rendered. They stay pending and are parked in the end. */
  unreadable: number;
}

/** The rate limits of a channel's gateways and accounts. */
export interface ChannelPace {
  /** Is true while nothing limits the channel, so that the submissions of a job are dispatched as soon as it runs. */
  readonly isFree: boolean;
  /** Milliseconds until the next round of a lane. */
  waitMs(lane: Lane): number;
  /** Charges messages that were dispatched outside of rounds. */
  charge(dispatched: Dispatched): void;
  /** Adapts to the outcome of a dispatch. */
  learn(dispatched: Dispatched): void;
}

/**
 * The steps from a claim to its record that differ between channels. Providers inject the channel of their worker by
 * this class.
 */
export abstract class Channel<
  Row extends ClaimedRow = ClaimedRow,
  Message extends OutgoingMessage = OutgoingMessage,
> {
  abstract readonly name: ChannelName;
  abstract readonly lanes: readonly Lane[];
  /** Queues in which a report may wait before its message is overdue. */
  abstract readonly reportQueues: readonly QueueDefinition[];
  /** Maximum number of dispatches for jobs at the same time. */
  abstract readonly concurrency: number;
  /** Undefined for a channel whose claims keep to the rates themselves. */
  readonly pace?: ChannelPace;

  /**
   * Returns the milliseconds from the beginning of the last round of a lane, which claimed `claimed` messages, to that
   * of the next one, so that more messages share it; 0 by default. A round that finds more ready is followed immediately.
   */
  gapMs(_lane: Lane, _claimed: number): number {
    return 0;
  }

  /** Claims the submissions of a job. Undefined for a channel that claims in rounds only. @throws RefusedFanOut */
  claimNamed?(lane: Lane, submissionIds: string[]): Promise<NamedClaim<Row>>;

  /**
   * Claims a share of what a lane has ready, at most `most` messages; undefined when the pace allows nothing now.
   *
   * @throws RefusedFanOut
   */
  abstract claimRound(lane: Lane, after: string | null, most: number): Promise<Round<Row> | undefined>;

  /** Sets the submission aside that a round of one message begins with, if it fails that round. */
  abstract setAside(lane: Lane, after: string | null): Promise<RefusedSubmission | undefined>;

  /**
   * Claims pending messages of these submissions, at most FAN_OUT_CHUNK, that no worker has claimed: an equal share of
   * each. Returns with them the submissions that may have more.
   */
  abstract reclaim(lane: Lane, submissionIds: string[]): Promise<Claim<Row> & { unfinished: string[] }>;

  /** Claims messages that were released to the workers whose gateway of one of these names is up. */
  abstract claimPinned(lane: Lane, gateways: readonly string[]): Promise<Claim<Row>>;

  /** Renders claimed messages. Rows alone decide the result; messages that cannot be rendered are left out. */
  abstract render(rows: Row[]): Promise<Message[]>;

  /**
   * Records outcomes of a gateway; null when none was chosen.
   *
   * @param db a transaction to record them in
   * @returns reports of the moves, to be enqueued
   */
  abstract record(gateway: string | null, submits: RecordedSubmit[], db?: EntityManager): Promise<string[]>;
}
