import { type FairRound, type FairShare, fanOutFairly } from '@signalbox/database/submissions/fair-fan-out';
import { rejection, toRecordedSubmit } from '@signalbox/database/messages/gateway-outcomes';
import { recordSubmits } from '@signalbox/database/messages/messages';
import {
  type Reclaimed,
  type ReclaimedMessage,
  reclaim,
  release,
} from '@signalbox/database/submissions/reclaim';
import { type FannedOut, fanOut, wipeDispatched } from '@signalbox/database/submissions/submissions';
import { FAN_OUT_CHUNK, LEASE_SECONDS } from '@signalbox/domain/limits';
import type { Lane } from '@signalbox/domain/lane';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { SmsGateway } from '@signalbox/gateways/sms-gateway';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { EntityManager } from 'typeorm';
import type { ReportIntake } from './report-intake.ts';
import type { SmsBells } from './sms.bells.ts';
import type { SmsWriter } from './sms.writer.ts';

/** What one run did, for its log line. */
export interface Dispatched {
  fannedOut: number;
  /** Of those, how many were not submitted, because they are held by quiet hours or had ended. */
  skipped: number;
  reclaimed: number;
  submitted: number;
  throttled: number;
  /** The longest that a throttled one is to wait. */
  retryAfterMs: number;
  rejected: number;
  /** Sealed with another key than this process has: left pending, and parked in the end. */
  unreadable: number;
  /** How long the gateway took. */
  gatewayMs: number;
}

/** Messages claimed by this run. */
interface Claimed extends Reclaimed {
  chunks: FannedOut[];
}

/** Takes submissions from accepted to submitted: fan out, submit, record; one statement a step, whatever the batch. */
export class SmsDispatcher {
  constructor(
    private readonly db: EntityManager,
    private readonly gateway: SmsGateway,
    private readonly intake: ReportIntake,
    private readonly bells: SmsBells,
    private readonly writer: SmsWriter,
  ) {}

  /**
   * Submits what these submissions have waiting. Runs at least once: only messages claimed by this run are submitted, so a
   * repeat finds nothing, or what a dead worker left behind.
   *
   * @param quiet the quiet hours of the lane
   * @returns what was done, and how many of the submissions gave nothing to fan out
   */
  async dispatch(
    lane: Lane,
    submissionIds: string[],
    quiet: readonly QuietRule[] = [],
  ): Promise<Dispatched & { left: number }> {
    const chunks = await fanOut(this.db, submissionIds, LEASE_SECONDS, quiet);
    this.ringForTheRest(lane, chunks);
    const fannedOut = new Set(chunks.map((chunk) => chunk.id));
    const left = submissionIds.filter((id) => !fannedOut.has(id));
    const reclaimed = left.length === 0 ? NOTHING : await reclaim(this.db, left, LEASE_SECONDS, quiet);
    if (reclaimed.messages.length + reclaimed.reportIds.length === FAN_OUT_CHUNK)
      this.bells.ringAgain(lane, left);
    return { ...(await this.submit(lane, { chunks, ...reclaimed })), left: left.length };
  }

  /** Takes up again what these submissions have pending that nobody holds, and nothing else of them. */
  async retry(lane: Lane, submissionIds: string[], quiet: readonly QuietRule[] = []): Promise<Dispatched> {
    const reclaimed = await reclaim(this.db, submissionIds, LEASE_SECONDS, quiet);
    if (reclaimed.messages.length + reclaimed.reportIds.length === FAN_OUT_CHUNK)
      this.bells.ringAgain(lane, submissionIds);
    return this.submit(lane, { chunks: [], ...reclaimed });
  }

  /**
   * Submits what a lane has ready, account by account in turn.
   *
   * @param onTaken told of the messages taken to be submitted, by account, before they are
   */
  async dispatchFairly(
    lane: Lane,
    share: FairShare,
    onTaken: (taken: ReadonlyMap<string, number>) => void,
  ): Promise<{ round: FairRound; dispatched: Dispatched }> {
    const round = await fanOutFairly(this.db, lane, share, LEASE_SECONDS);
    const released =
      round.releases.length === 0
        ? NOTHING
        : await release(this.db, round.releases, LEASE_SECONDS, share.quiet);
    onTaken(countByAccount(round.chunks, released.messages));
    return { round, dispatched: await this.submit(lane, { chunks: round.chunks, ...released }) };
  }

  private async submit(lane: Lane, { chunks, messages: reclaimed, reportIds }: Claimed): Promise<Dispatched> {
    this.intake.announce([...chunks.flatMap((chunk) => chunk.reportIds ?? []), ...reportIds]);
    const messages = await this.writer.write(chunks, reclaimed);
    const startedAt = performance.now();
    const outcomes = messages.length === 0 ? [] : await this.gateway.submit(messages);
    const gatewayMs = Math.round((performance.now() - startedAt) * 10) / 10;
    const recorded = await this.record(lane, outcomes);
    await this.wipe(chunks, reclaimed);

    const fannedOut = sum(chunks.map((chunk) => chunk.recipients.length));
    const skipped = sum(chunks.map((chunk) => chunk.skipped?.length ?? 0));
    const unreadable = fannedOut - skipped + reclaimed.length - messages.length;
    return {
      fannedOut,
      skipped,
      reclaimed: reclaimed.length,
      submitted: messages.length,
      ...recorded,
      unreadable,
      gatewayMs,
    };
  }

  /** Rings before this chunk is submitted, so that another run can take the next one meanwhile. */
  private ringForTheRest(lane: Lane, chunks: FannedOut[]): void {
    const unfinished = chunks.filter((chunk) => !chunk.complete).map((chunk) => chunk.id);
    this.bells.ring(lane, unfinished, FAN_OUT_CHUNK);
  }

  private async wipe(chunks: FannedOut[], reclaimed: ReclaimedMessage[]): Promise<void> {
    const secret = [
      ...chunks.flatMap((c) => (c.sealed ? [c.id] : [])),
      ...reclaimed.flatMap((r) => (r.sealed ? [r.submissionId] : [])),
    ];
    if (secret.length > 0) await wipeDispatched(this.db, [...new Set(secret)]);
  }

  /**
   * A rejection is a report like any other, and its message's webhook hears of it. It is taken in durably before the message
   * stops being pending, so that a crash in between loses neither.
   */
  private async record(
    lane: Lane,
    outcomes: SubmitOutcome[],
  ): Promise<Pick<Dispatched, 'throttled' | 'retryAfterMs' | 'rejected'>> {
    const rejected = outcomes.filter((outcome) => outcome.result === 'rejected');
    const throttled = outcomes.filter((outcome) => outcome.result === 'throttled');
    if (rejected.length > 0) await this.intake.receive(this.gateway.name, rejected.map(rejection));
    const reportIds = await recordSubmits(this.db, this.gateway.name, outcomes.flatMap(toRecordedSubmit));
    this.intake.announce(reportIds);
    if (throttled.length > 0) this.bells.ringLater(lane, throttled);
    const retryAfterMs = Math.max(0, ...throttled.map((message) => message.retryAfterMs));
    return { throttled: throttled.length, retryAfterMs, rejected: rejected.length };
  }
}

const NOTHING: Reclaimed = { messages: [], reportIds: [] };

function sum(counts: number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function countByAccount(
  chunks: readonly FannedOut[],
  messages: readonly ReclaimedMessage[],
): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (accountId: string, count: number): unknown =>
    counts.set(accountId, (counts.get(accountId) ?? 0) + count);
  for (const { accountId, recipients, skipped } of chunks)
    add(accountId, recipients.length - (skipped?.length ?? 0));
  for (const { accountId } of messages) add(accountId, 1);
  return counts;
}
