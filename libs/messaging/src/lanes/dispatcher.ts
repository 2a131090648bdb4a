import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { settlingMs } from '@signalbox/database/core/settling';
import { noteRowFailures } from '@signalbox/database/ops/row-failures';
import { wipeDispatched } from '@signalbox/database/submissions/sealed-texts';
import type { Lane } from '@signalbox/domain/lane';
import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import { parseMessageId } from '@signalbox/domain/message-id';
import type { OutgoingMessage } from '@signalbox/gateways/gateway';
import type { JobData } from '@signalbox/queues/define-queue';
import { LANE_QUEUES, type LaneJob, reportQueueOf } from '@signalbox/queues/definitions';
import type { JobQueue } from '@signalbox/queues/job-queue';
import { Queues } from '@signalbox/queues/open-queues';
import { Logger } from '@signalbox/runtime/logger';
import { EntityManager } from 'typeorm';
import {
  Channel,
  type Claim,
  type ClaimedRow,
  type Dispatched,
  type NamedClaim,
  type Round,
} from './channel.ts';
import { RoutedSubmitter } from './routed-submitter.ts';
import { type Submitted, merge } from './submitted.ts';
import type { Openings, Outlet } from '../gateways/router.ts';

/** The claim of a channel without `claimNamed`. */
const NO_NAMED: NamedClaim<never> = {
  rows: [],
  claimed: 0,
  skipped: 0,
  reportIds: [],
  claimedAt: Infinity,
  unfinished: [],
  leftToRounds: 0,
  withoutChunk: [],
};

/** Milliseconds until a job runs again that another worker should take. */
const PASS_ON_MS = 50;

/** Milliseconds that a round waits for a slow gateway while others take messages. */
const PATIENCE_MS = 1_000;

/**
 * Moves messages from accepted to submitted: claim, render, submit, record, wipe, with one statement per step for the
 * whole batch. Every step repeats harmlessly: only messages that a run has claimed are submitted, and a claim that a
 * dead worker had is free again when its lease ends.
 */
@Injectable()
export class Dispatcher<
  Row extends ClaimedRow = ClaimedRow,
  Message extends OutgoingMessage = OutgoingMessage,
> {
  private readonly inProgress = new Set<Promise<void>>();

  constructor(
    private readonly db: EntityManager,
    private readonly channel: Channel<Row, Message>,
    private readonly queues: Queues,
    private readonly routed: RoutedSubmitter<Row, Message>,
    private readonly logger: Logger,
  ) {}

  /** The way that messages can take now, whatever their route. */
  get outlet(): Outlet {
    return this.routed.outlet;
  }

  /** Reads the routes, and the gateways that take messages now. */
  readOpenings(): Openings {
    return this.routed.readOpenings();
  }

  /** Leaves a job to the workers whose gateways take messages. This worker may get it again, and leaves it again. */
  passOn(lane: Lane, { ids, ...kind }: JobData<LaneJob>): void {
    this.queueOf(lane).enqueueJobs(ids, kind, { delayMs: PASS_ON_MS });
  }

  /**
   * Fans submissions out and submits their messages. Of submissions that are fanned out already, it submits the pending
   * messages again.
   *
   * @returns its counts, and the number of submissions that may have more for rounds to claim
   */
  async dispatch(lane: Lane, submissionIds: string[]): Promise<Dispatched & { leftToRounds: number }> {
    const named = await this.channel.claimNamed?.(lane, submissionIds);
    const { withoutChunk, unfinished, leftToRounds, ...claim } = named ?? {
      ...NO_NAMED,
      withoutChunk: submissionIds,
    };
    // before this chunk is submitted, so that another run claims the next one meanwhile
    for (const id of unfinished) this.queueOf(lane).enqueueJobs([id], { isChunk: true });
    const all = withoutChunk.length === 0 ? claim : join(claim, await this.reclaim(lane, withoutChunk));
    // those without a chunk may wait for quiet hours or a rate, which rounds respect
    return { ...(await this.submit(lane, all)), leftToRounds: withoutChunk.length + leftToRounds };
  }

  /** Submits pending messages of submissions that are fanned out, and that no worker has claimed. */
  async retry(lane: Lane, submissionIds: string[]): Promise<Dispatched> {
    return this.submit(lane, await this.reclaim(lane, submissionIds));
  }

  /**
   * Submits a share of what a lane has ready, at most `most` messages; undefined when the pace allows nothing now.
   *
   * @throws RefusedFanOut
   */
  async dispatchRound(
    lane: Lane,
    after: string | null,
    most = Infinity,
  ): Promise<{ round: Round<Row>; dispatched: Dispatched } | undefined> {
    const round = await this.channel.claimRound(lane, after, most);
    return round && { round, dispatched: await this.submit(lane, round, true) };
  }

  /**
   * Sets the submission aside that a round of one message begins with, if it fails that round.
   *
   * @returns true when it was set aside
   */
  async setAside(lane: Lane, after: string | null): Promise<boolean> {
    const refused = await this.channel.setAside(lane, after);
    if (!refused) return false;
    this.logger.error({ lane, submissionId: refused.id, error: refused.error }, 'lane.submission_refused');
    await noteRowFailures(this.db, 'submission', [refused.id], String(refused.error));
    return true;
  }

  /** Submits messages that other workers released because these gateways are down there. */
  async dispatchPinned(lane: Lane, gateways: readonly string[]): Promise<Dispatched> {
    return this.submit(lane, await this.channel.claimPinned(lane, gateways));
  }

  /** Resolves when the submits in progress have ended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.inProgress);
  }

  /**
   * Claims messages again. Submissions that may have more get another job. So do all of them while only other workers
   * have a gateway that takes messages, and during an outage of the database, also one that the claim waited for, and
   * until the workers have recorded what they submitted before it.
   */
  private async reclaim(lane: Lane, submissionIds: string[]): Promise<Claim<Row>> {
    if (this.outlet === 'elsewhere') {
      this.passOn(lane, { ids: submissionIds, isRetry: true });
      return NO_NAMED;
    }
    const first = submissionIds.slice(0, FAN_OUT_CHUNK);
    const claim = settlingMs(this.db) > 0 ? NO_NAMED : await this.channel.reclaim(lane, first);
    const delayMs = settlingMs(this.db);
    const left = [...submissionIds.slice(FAN_OUT_CHUNK), ...claim.unfinished];
    this.enqueueRetry(lane, delayMs > 0 ? submissionIds : left, delayMs);
    return claim;
  }

  /** @param isReserved the channel's pace has reserved them of the gateways' rates */
  private async submit(lane: Lane, claim: Claim<Row>, isReserved = false): Promise<Dispatched> {
    const { rows, claimed, skipped, reportIds } = claim;
    this.queues.get(reportQueueOf(lane)).enqueue(reportIds);
    const messages = await this.channel.render(rows);
    const { retries: _, ...submitted } = await this.submitAll(lane, messages, { ...claim, isReserved });
    return { claimed, skipped, ...submitted, unreadable: claimed - messages.length };
  }

  /**
   * Submits messages to the gateway chosen for each. Where several gateways share them it waits for a slow one only for
   * a while, so that the others get the next messages.
   *
   * @throws the first error, once the other gateways are recorded
   */
  private async submitAll(
    lane: Lane,
    messages: Message[],
    { rows, claimedAt, isReserved }: Claim<Row> & { isReserved: boolean },
  ): Promise<Submitted> {
    const done: Submitted[] = [];
    const groups = this.routed.start({ lane, claimedAt, isReserved }, messages).map(async (group) => {
      const submitted = await group;
      done.push(submitted);
      for (const { messageIds, delayMs } of submitted.retries)
        this.enqueueRetry(lane, submissionsOf(messageIds), delayMs);
    });
    const ended = this.finish(groups, rows);
    if (this.routed.isShared) await Promise.race([ended, sleep(PATIENCE_MS, undefined, { ref: false })]);
    else await ended;
    return merge(done);
  }

  private finish(groups: readonly Promise<void>[], rows: Row[]): Promise<void> {
    const ended = Promise.allSettled(groups)
      .then(async (results) => {
        const failed = results.find((result) => result.status === 'rejected');
        if (failed) throw failed.reason;
        await this.wipe(rows);
      })
      .finally(() => this.inProgress.delete(ended));
    ended.catch((error: unknown) => this.logger.warn({ error }, 'submit.unfinished'));
    this.inProgress.add(ended);
    return ended;
  }

  private async wipe(rows: Row[]): Promise<void> {
    const sealed = new Set(rows.flatMap((row) => (row.sealed ? [row.submissionId] : [])));
    if (sealed.size > 0) await wipeDispatched(this.db, [...sealed]);
  }

  private enqueueRetry(lane: Lane, submissionIds: string[], delayMs = 0): void {
    this.queueOf(lane).enqueueJobs(submissionIds, { isRetry: true }, { delayMs });
  }

  private queueOf(lane: Lane): JobQueue<LaneJob> {
    return this.queues.get(LANE_QUEUES[lane]);
  }
}

function submissionsOf(messageIds: readonly string[]): string[] {
  return [...new Set(messageIds.flatMap((id) => parseMessageId(id)?.submissionId ?? []))];
}

function join<Row extends ClaimedRow>(a: Claim<Row>, b: Claim<Row>): Claim<Row> {
  return {
    rows: [...a.rows, ...b.rows],
    claimed: a.claimed + b.claimed,
    skipped: a.skipped + b.skipped,
    reportIds: [...a.reportIds, ...b.reportIds],
    claimedAt: Math.min(a.claimedAt, b.claimedAt),
  };
}
