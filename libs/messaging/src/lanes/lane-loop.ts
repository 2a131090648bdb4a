import type { Lane } from '@signalbox/domain/lane';
import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import type { JobData } from '@signalbox/queues/define-queue';
import { LANE_QUEUES, type LaneJob } from '@signalbox/queues/definitions';
import { GroupCommit, type GroupCommitOptions } from '@signalbox/runtime/group-commit';
import type { AccountThrottle } from '@signalbox/runtime/account-throttle';
import type { Logger } from '@signalbox/runtime/logger';
import type { Channel, Dispatched } from './channel.ts';
import type { Dispatcher } from './dispatcher.ts';
import { PollLoop } from './poll-loop.ts';
import { RefusedFanOut } from './refused-round.ts';
import { merge } from './submitted.ts';
import type { Outlet } from '../gateways/router.ts';

/** Milliseconds from a round that failed to the next. */
const AFTER_FAILURE_MS = 1_000;

/** Age of a job above which its lane has a backlog. */
const MAX_WAITED_MS = 300;

/** Jobs that share one dispatch. */
const JOBS_PER_DISPATCH = 8;

const MAX_WAITING_JOBS = 1_000;

/** Submissions of retry jobs that wait. A dispatch of retries takes as many as one claim does. */
const MAX_WAITING_RETRIES = 500_000;

/**
 * Maximum messages of a round while no gateway takes messages, or one is tested with a single message. Such a round
 * ends messages that expired or were cancelled.
 */
const CLOSED_ROUND: Record<Outlet, number> = { here: Infinity, elsewhere: 0, test: 1, nowhere: 50 };

/** Milliseconds from such a round that claimed messages, and ended none, to the next. */
const CLOSED_REST_MS: Record<Outlet, number> = { here: 0, elsewhere: 0, test: 1_000, nowhere: 60_000 };

const NOTHING: Dispatched = { ...merge([]), claimed: 0, skipped: 0, unreadable: 0 };

/** The result of a job: what it dispatched, or the number of submissions that it left to rounds. */
export type Served = Dispatched | { leftToRounds: number };

/**
 * Serves one lane, in one of two ways. Without a backlog, while `pace.isFree` (no limit, and gateways that take full
 * batches quickly), a job dispatches the submissions that it names; jobs that run at the same time share their
 * statements. The later chunks of large sends share theirs only with each other, so that no small send waits for them.
 * Otherwise a job only wakes the loop, which claims round by round for all accounts in turn. Unclaimed messages
 * wait in Postgres, occupy no worker, and are visible to every other worker. While only other workers have a gateway
 * that takes messages, it leaves its jobs to them and claims nothing; while none has one, next to nothing.
 */
export class LaneLoop {
  private readonly loop: PollLoop;
  private readonly named: GroupCommit<string[], Dispatched>;
  private readonly chunks: GroupCommit<string[], Dispatched>;
  private readonly retries: GroupCommit<string[], Dispatched>;
  /** The account or sender after which the next round begins; null for the first. */
  private after: string | null = null;
  /** Limit of the messages of a round. It is lowered while a submission fails larger rounds. */
  private most = Infinity;
  /** Messages that the last round claimed, by which the channel sizes the next gap. */
  private claimed = 0;
  /** Since when the lane rests because no gateway takes messages, on the clock of `performance.now()`. */
  private restsSince = -Infinity;
  /** The submit of messages that other workers released. */
  private taking: Promise<void> | undefined;
  /** True once the worker ends: nothing more is claimed, except by jobs that began before. */
  private isEnding = false;
  /** Wakes the loop at the end of the first delay of an account. */
  private wakeTimer: NodeJS.Timeout | undefined;
  /** True while an operator has paused the queue of the lane: nothing is claimed, and all of it waits in Postgres. */
  isPaused = false;

  constructor(
    private readonly lane: Lane,
    private readonly channel: Channel,
    private readonly dispatcher: Dispatcher,
    private readonly throttle: AccountThrottle,
    private readonly logger: Logger,
  ) {
    const waitMs = (): number => channel.pace?.waitMs(lane) ?? 0;
    const gapMs = (): number => channel.gapMs(lane, this.claimed);
    this.loop = new PollLoop(() => this.round(), { waitMs, gapMs });
    const jobs = { maxBatch: JOBS_PER_DISPATCH, maxWaiting: MAX_WAITING_JOBS };
    this.named = this.shared((ids) => this.dispatchNamed(ids), jobs);
    this.chunks = this.shared((ids) => this.dispatchNamed(ids), jobs);
    this.retries = this.shared(async (ids) => (this.isEnding ? NOTHING : dispatcher.retry(lane, ids)), {
      maxBatch: FAN_OUT_CHUNK,
      maxWaiting: MAX_WAITING_RETRIES,
      weigh: (ids) => ids.length,
    });
  }

  /**
   * Serves a job.
   *
   * @param waitedMs age of the job
   * @throws what the dispatch threw: the queue runs its jobs again, and they find what is left
   */
  async serve(job: JobData<LaneJob>, waitedMs: number): Promise<Served> {
    const { ids, isRetry, isChunk } = job;
    if (isRetry) return this.retries.add(ids);
    const { outlet } = this.dispatcher;
    if (outlet === 'elsewhere') {
      this.dispatcher.passOn(this.lane, job);
      return { leftToRounds: ids.length };
    }
    if (outlet === 'here' && this.isFree && waitedMs <= MAX_WAITED_MS)
      try {
        return await (isChunk ? this.chunks : this.named).add(ids);
      } catch (error) {
        if (!(error instanceof RefusedFanOut)) throw error; // rounds find the submission that fails the others
      }
    this.loop.wake();
    return { leftToRounds: ids.length };
  }

  /**
   * Submits pending messages of submissions that no worker has claimed, in batches of the size of a job. Does not wait;
   * a failure is logged, and leaves the messages to the next rescue.
   */
  retry(submissionIds: readonly string[]): void {
    if (this.isPaused) return;
    const { maxWeight } = LANE_QUEUES[this.lane];
    for (let from = 0; from < submissionIds.length; from += maxWeight)
      this.retries.add(submissionIds.slice(from, from + maxWeight)).catch((error: unknown) => {
        this.logger.warn({ lane: this.lane, error }, 'lane.failed');
      });
  }

  /**
   * Submits messages that other workers released to these gateways, unless an earlier call still does. A failure is
   * logged, and leaves the messages to their retry.
   */
  async takePinned(gateways: readonly string[]): Promise<void> {
    if (this.isPaused) return;
    const { lane } = this;
    const take = async (): Promise<void> => {
      const dispatched = await this.dispatcher.dispatchPinned(lane, gateways);
      this.channel.pace?.charge(dispatched);
    };
    this.taking ??= take()
      .catch((error: unknown) => this.logger.warn({ lane, error }, 'lane.failed'))
      .finally(() => (this.taking = undefined));
    await this.taking;
  }

  /** Runs a round soon, since something may be ready. */
  wake(): void {
    if (!this.isPaused) this.loop.wake();
  }

  /** Begins no more rounds, and leaves retries to the rescue of other workers. */
  end(): void {
    this.isEnding = true;
    void this.loop.close();
  }

  /** Claims nothing more, and resolves when all that was claimed is submitted. */
  async close(): Promise<void> {
    clearTimeout(this.wakeTimer);
    await Promise.all([this.loop.close(), this.retries.close(), this.taking]);
  }

  private get isFree(): boolean {
    return (
      this.channel.claimNamed !== undefined && !this.loop.isRunning && (this.channel.pace?.isFree ?? true)
    );
  }

  private async dispatchNamed(submissionIds: string[]): Promise<Dispatched> {
    const { leftToRounds, ...dispatched } = await this.dispatcher.dispatch(this.lane, submissionIds);
    if (leftToRounds > 0) this.loop.wake();
    return dispatched;
  }

  /** Shares dispatches between jobs, so that many small jobs cost as much as a few large ones. */
  private shared(
    dispatch: (submissionIds: string[]) => Promise<Dispatched>,
    limits: GroupCommitOptions<string[]>,
  ): GroupCommit<string[], Dispatched> {
    const { pace, concurrency } = this.channel;
    const flush = async (batch: string[][]): Promise<Dispatched[]> => {
      const dispatched = await dispatch([...new Set(batch.flat())]);
      pace?.charge(dispatched);
      pace?.learn(dispatched);
      return batch.map(() => dispatched);
    };
    return new GroupCommit(flush, { ...limits, concurrency });
  }

  /**
   * Plans a round for the end of the first delay of an account: rounds until then leave that account out. After a round
   * that left one out whose delay ended meanwhile, it is now.
   */
  private wakeAfterDelay(wasAnyDelayed: boolean): void {
    const delayed = this.throttle.listDelayed();
    clearTimeout(this.wakeTimer);
    if (delayed.size > 0)
      this.wakeTimer = setTimeout(() => this.wake(), Math.min(...delayed.values())).unref();
    else if (wasAnyDelayed) this.wake();
  }

  /** @returns the milliseconds until the next round; undefined when nothing is left to claim */
  private async round(): Promise<number | undefined> {
    const { outlet } = this.dispatcher;
    if (this.isPaused || outlet === 'elsewhere') return undefined;
    const startedAt = performance.now();
    if (startedAt < this.restsSince + CLOSED_REST_MS[outlet]) return undefined;
    if (outlet !== 'here') this.restsSince = startedAt;
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    const { lane, after } = this;
    try {
      const most = Math.min(this.most, CLOSED_ROUND[outlet]);
      const wasAnyDelayed = this.throttle.listDelayed().size > 0;
      const result = await this.dispatcher.dispatchRound(lane, after, most);
      if (!result) {
        this.restsSince = -Infinity;
        return 0; // another lane has used up the rate: the next round waits for it
      }
      this.most *= 2;
      const { round, dispatched } = result;
      this.after = round.after;
      this.claimed = dispatched.claimed;
      this.channel.pace?.learn(dispatched);
      if (dispatched.claimed + dispatched.skipped > 0)
        this.logger.info({ lane, durationMs: durationMs(), ...dispatched }, 'lane.served');
      const delayMs = round.delayMs(durationMs() - dispatched.gatewayMs);
      this.wakeAfterDelay(wasAnyDelayed);
      // `wakeStarved` wakes it again
      if (outlet !== 'here' && dispatched.claimed > 0 && dispatched.skipped === 0) return undefined;
      this.restsSince = -Infinity;
      return delayMs;
    } catch (error) {
      this.restsSince = -Infinity;
      if (error instanceof RefusedFanOut && (await this.narrow(after).catch(() => false))) return 0;
      this.logger.warn({ lane, durationMs: durationMs(), error }, 'lane.failed');
      return AFTER_FAILURE_MS;
    }
  }

  /**
   * Halves the next round, since a submission fails this one, or sets that submission aside once it is alone.
   *
   * @returns true when the next round may succeed
   */
  private async narrow(after: string | null): Promise<boolean> {
    if (this.most <= 1) return this.dispatcher.setAside(this.lane, after);
    this.most = Math.floor(Math.min(this.most, FAN_OUT_CHUNK) / 2);
    return true;
  }
}
