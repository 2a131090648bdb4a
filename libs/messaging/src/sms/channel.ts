import { Injectable } from '@nestjs/common';
import { type RecordedSubmit, recordSubmits } from '@signalbox/database/messages/submits';
import { type FairRound, type RoundLimits, fanOutFairly } from '@signalbox/database/submissions/fair-fan-out';
import { listReady } from '@signalbox/database/submissions/ready-batches';
import { type Reclaimed, claimHeld, claimPinned, reclaim } from '@signalbox/database/submissions/reclaim';
import { type SubmissionChunk, fanOut } from '@signalbox/database/submissions/submissions';
import { SMS_LANES, type SmsLane } from '@signalbox/domain/lane';
import { FAN_OUT_CHUNK, LEASE_SECONDS } from '@signalbox/domain/limits';
import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import { REPORT_QUEUES } from '@signalbox/queues/definitions';
import { AccountThrottle } from '@signalbox/runtime/account-throttle';
import { EntityManager } from 'typeorm';
import { Channel, type Claim, type NamedClaim, type Round } from '../lanes/channel.ts';
import { type RefusedSubmission, orRefused, setRefusedAside } from '../lanes/refused-round.ts';
import { noteUnconfirmed } from '../reports/note-unconfirmed.ts';
import { type ClaimedSms, fromChunk, fromReclaimed } from './claimed-sms.ts';
import { Pace } from './pace.ts';
import { QuietHours } from './quiet-hours.ts';
import { SmsRenderer } from './renderer.ts';

/** Milliseconds until the next round of a lane whose last one found only outdated rows, or whose rates are used up. */
const IDLE_ROUND_MS = 100;

/** Maximum messages of a round while several accounts are active: those that come meanwhile wait for it. */
const SHARED_ROUND = 200;

const NOTHING: Reclaimed = { messages: [], reportIds: [] };

/** SMS: fanned out in chunks, by job or fairly between accounts, outside quiet hours and within the pace. */
@Injectable()
export class SmsChannel extends Channel<ClaimedSms, OutgoingSms> {
  readonly name = 'sms';
  readonly lanes = SMS_LANES;
  readonly reportQueues = Object.values(REPORT_QUEUES);
  readonly concurrency = 2;

  constructor(
    private readonly db: EntityManager,
    override readonly pace: Pace,
    private readonly quietHours: QuietHours,
    private readonly renderer: SmsRenderer,
    private readonly throttle: AccountThrottle,
  ) {
    super();
  }

  override async claimNamed(lane: SmsLane, submissionIds: string[]): Promise<NamedClaim<ClaimedSms>> {
    const quiet = this.quietHours.of(lane);
    const claimedAt = performance.now();
    const chunks = await orRefused(fanOut(this.db, submissionIds, LEASE_SECONDS, quiet));
    this.noteActivity(chunks);
    const fannedOut = new Set(chunks.map(({ id }) => id));
    const unfinished = chunks.filter(({ complete }) => !complete);
    const continued = unfinished.filter(({ accountId }) => !this.throttle.areOthersActive(accountId));
    return {
      ...toClaim(chunks, NOTHING, claimedAt),
      unfinished: continued.map(({ id }) => id),
      leftToRounds: unfinished.length - continued.length,
      withoutChunk: submissionIds.filter((id) => !fannedOut.has(id)),
    };
  }

  async claimRound(
    lane: SmsLane,
    after: string | null,
    most: number,
  ): Promise<Round<ClaimedSms> | undefined> {
    const isFull = await listReady(this.db, [lane], 'oldest');
    // the newest too, so that many of one account do not delay a new one of another
    if (isFull) await listReady(this.db, [lane], 'newest');
    const budget = this.pace.reserve(lane);
    if (budget === 0) return undefined;
    const size = this.throttle.isShared ? Math.min(budget, SHARED_ROUND) : budget;
    const limits = this.limits(lane, after, Math.min(size, most));
    const claimedAt = performance.now();
    let charged: ReadonlyMap<string, number> = new Map();
    try {
      const { round, claim } = await orRefused(
        this.db.transaction((db) => claimIn(db, lane, limits, claimedAt)),
      );
      charged = countByAccount(claim.rows);
      this.noteActivity(round.chunks);
      const delayMs = (tookMs: number): number | undefined => {
        this.charge(round, tookMs);
        return isFull ? 0 : this.delayMs(round, limits);
      };
      return { ...claim, after: round.after, delayMs };
    } finally {
      this.pace.chargeRound(lane, budget, charged);
    }
  }

  setAside(lane: SmsLane, after: string | null): Promise<RefusedSubmission | undefined> {
    const limits = this.limits(lane, after, 1);
    return setRefusedAside(this.db, { channel: this.name, lane, after }, (db) =>
      claimIn(db, lane, limits, performance.now()),
    );
  }

  async reclaim(
    lane: SmsLane,
    submissionIds: string[],
  ): Promise<Claim<ClaimedSms> & { unfinished: string[] }> {
    const claimedAt = performance.now();
    const claimed = await reclaim(this.db, submissionIds, LEASE_SECONDS, this.quietHours.of(lane));
    return { ...toClaim([], claimed, claimedAt), unfinished: claimed.unfinished };
  }

  async claimPinned(lane: SmsLane, gateways: readonly string[]): Promise<Claim<ClaimedSms>> {
    const limits = { limit: FAN_OUT_CHUNK, leaseSeconds: LEASE_SECONDS, quiet: this.quietHours.of(lane) };
    const claimedAt = performance.now();
    return toClaim([], await claimPinned(this.db, lane, gateways, limits), claimedAt);
  }

  render(rows: ClaimedSms[]): Promise<OutgoingSms[]> {
    return this.renderer.render(rows);
  }

  async record(gateway: string | null, submits: RecordedSubmit[], db = this.db): Promise<string[]> {
    await noteUnconfirmed(db, this.name, gateway, submits);
    return recordSubmits(db, gateway, submits);
  }

  private limits(lane: SmsLane, after: string | null, budget: number): RoundLimits {
    return { budget, allowances: this.allowances(lane), after, quiet: this.quietHours.of(lane) };
  }

  /** The limits of accounts. A delayed account gets nothing, except for codes. */
  private allowances(lane: SmsLane): Map<string, number> {
    const allowances = this.pace.allowances(lane);
    if (lane === 'OTP') return allowances;
    for (const accountId of this.throttle.listDelayed().keys()) allowances.set(accountId, 0);
    return allowances;
  }

  private noteActivity(chunks: readonly SubmissionChunk[]): void {
    for (const { accountId } of chunks) this.throttle.noteActivity(accountId);
  }

  /** Charges the time of a round to the accounts that have more to send than they got. */
  private charge({ chunks }: FairRound, tookMs: number): void {
    const large = new Set(chunks.flatMap(({ complete, accountId }) => (complete ? [] : [accountId])));
    for (const accountId of large) this.throttle.charge(accountId, tookMs / large.size);
  }

  /**
   * Returns 0 while another round may claim something, IDLE_ROUND_MS after one that found only outdated rows or while
   * the rate of an account is used up, and undefined when nothing is left but what other workers have locked.
   */
  private delayMs({ chunks, heldDue, more }: FairRound, { after }: RoundLimits): number | undefined {
    if (more) return chunks.length + heldDue.length > 0 || after !== null ? 0 : IDLE_ROUND_MS;
    return this.pace.isSpent ? IDLE_ROUND_MS : undefined;
  }
}

/** Claims the messages of a round, in a transaction: a round that fails has claimed nothing. */
async function claimIn(
  db: EntityManager,
  lane: SmsLane,
  limits: RoundLimits,
  claimedAt: number,
): Promise<{ round: FairRound; claim: Claim<ClaimedSms> }> {
  const round = await fanOutFairly(db, lane, limits, LEASE_SECONDS);
  const held =
    round.heldDue.length === 0 ? NOTHING : await claimHeld(db, round.heldDue, LEASE_SECONDS, limits.quiet);
  return { round, claim: toClaim(round.chunks, held, claimedAt) };
}

function toClaim(
  chunks: SubmissionChunk[],
  { messages, reportIds }: Reclaimed,
  claimedAt: number,
): Claim<ClaimedSms> {
  const rows = [...chunks.map(fromChunk), ...messages.map(fromReclaimed)];
  return {
    rows,
    claimed: rows.reduce((sum, row) => sum + row.messages.length, 0),
    skipped: chunks.reduce((sum, chunk) => sum + (chunk.skipped?.length ?? 0), 0),
    reportIds: [...chunks.flatMap((chunk) => chunk.reportIds ?? []), ...reportIds],
    claimedAt,
  };
}

function countByAccount(rows: readonly ClaimedSms[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { accountId, messages } of rows)
    counts.set(accountId, (counts.get(accountId) ?? 0) + messages.length);
  return counts;
}
