import type { ChatRound } from '@signalbox/database/chat/fan-out';
import { FAN_OUT_CHUNK } from '@signalbox/domain/limits';
import type { ChatLane } from '@signalbox/domain/lane';
import type { Logger } from '@signalbox/runtime/logger';
import { Turns } from '@signalbox/runtime/turns';
import type { ChatappDispatcher, Dispatched } from './chatapp.dispatcher.ts';

/** How long a lane rests that waits for the rates of its senders: less than what they save up, so that nothing is lost to it. */
const REST_MS = 100;

/** A turn costs much whatever it takes: in a busy lane so much comes together before the next. A lone message is not held up. */
const GAP_MS = 25;

/** How long it rests after a turn that failed. */
const FAILED_REST_MS = 1_000;

/** Serves one lane in turns, for as long as there is something to take. What it does not take waits in Postgres, holds no worker, and is known to every other. */
export class ChatappTurns {
  private readonly turns = new Turns(() => this.turn(), { againMs: GAP_MS });
  private after: ChatRound['after'] = null;

  constructor(
    private readonly lane: ChatLane,
    private readonly dispatcher: ChatappDispatcher,
    private readonly logger: Logger,
  ) {}

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
    const { after } = this;
    try {
      const { round, dispatched } = await this.dispatcher.dispatch(this.lane, {
        budget: FAN_OUT_CHUNK,
        after,
      });
      this.after = round.after;
      if (dispatched.claimed + dispatched.ended > 0) this.log(startedAt, dispatched);
      if (round.after !== null || round.left === 'ready') return 0;
      return after !== null || round.left === 'paced' ? REST_MS : undefined;
    } catch (error) {
      this.logger.warn(
        { lane: this.lane, durationMs: Math.round(performance.now() - startedAt), error },
        'lane.failed',
      );
      return FAILED_REST_MS;
    }
  }

  private log(startedAt: number, dispatched: Dispatched): void {
    this.logger.info(
      { lane: this.lane, durationMs: Math.round(performance.now() - startedAt), ...dispatched },
      'lane.served',
    );
  }
}
