import type { FairRound, FairShare } from '@signalbox/database/submissions/fair-fan-out';
import type { Lane } from '@signalbox/domain/lane';
import type { QuietRule } from '@signalbox/domain/sms/quiet-hours';
import type { Logger } from '@signalbox/runtime/logger';
import { Turns } from '@signalbox/runtime/turns';
import type { Pace } from './pace.ts';
import type { Dispatched, SmsDispatcher } from './sms.dispatcher.ts';

/** How long a lane rests whose next turn would find only accounts that have used up their rates. */
const REST_MS = 100;

/** How long it rests after a turn that failed. */
const FAILED_REST_MS = 1_000;

/**
 * Serves one lane in turns that keep to the pace and are shared by its accounts, for as long as there is something to take. What it
 * does not take waits in Postgres, holds no worker, and is known to every other worker.
 */
export class LaneTurns {
  private readonly turns = new Turns(() => this.turn(), { waitMs: () => this.pace.waitMs(this.lane) });
  private after: FairRound['after'] = null;

  constructor(
    private readonly lane: Lane,
    private readonly quiet: readonly QuietRule[],
    private readonly dispatcher: SmsDispatcher,
    private readonly pace: Pace,
    private readonly logger: Logger,
  ) {}

  /** Whether turns are under way. */
  get isServing(): boolean {
    return this.turns.isServing;
  }

  /** Something may be ready. */
  wake(): void {
    this.turns.wake();
  }

  /** Takes no more turns, and resolves when those under way have ended. */
  close(): Promise<void> {
    return this.turns.close();
  }

  /** @returns how long to rest before the next turn; undefined when there is nothing left to take */
  private async turn(): Promise<number | undefined> {
    const startedAt = performance.now();
    const budget = this.pace.reserve(this.lane);
    if (budget === 0) return 0; // another lane was faster
    const share: FairShare = {
      budget,
      allowances: this.pace.allowances(),
      after: this.after,
      quiet: this.quiet,
    };
    let settle = (taken: ReadonlyMap<string, number>): void => this.pace.settle(budget, taken);
    const settleOnce = (taken: ReadonlyMap<string, number>): void => {
      settle(taken);
      settle = () => undefined;
    };
    try {
      const { round, dispatched } = await this.dispatcher.dispatchFairly(this.lane, share, settleOnce);
      this.after = round.after;
      this.pace.learn(dispatched);
      if (dispatched.fannedOut + dispatched.reclaimed > 0) this.log(startedAt, dispatched);
      return this.restAfter(round, share);
    } catch (error) {
      settleOnce(new Map());
      this.logger.warn(
        { lane: this.lane, durationMs: Math.round(performance.now() - startedAt), error },
        'lane.failed',
      );
      return FAILED_REST_MS;
    }
  }

  private restAfter(round: FairRound, share: FairShare): number | undefined {
    const took = round.chunks.length + round.releases.length > 0;
    if (round.more) return took || share.after !== null ? 0 : REST_MS;
    return [...this.pace.allowances().values()].includes(0) ? REST_MS : undefined;
  }

  private log(startedAt: number, dispatched: Dispatched): void {
    this.logger.info(
      { lane: this.lane, durationMs: Math.round(performance.now() - startedAt), ...dispatched },
      'lane.served',
    );
  }
}
