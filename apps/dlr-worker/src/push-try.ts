import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import type { PushResult } from '@signalbox/gateways/webhook-call';
import type { EndpointLane, LaneCall, TryKind } from './endpoint-lane.ts';
import type { PendingPush, SignedCall } from './pending-push.ts';
import { type CallResult, UNRENDERABLE, waiting } from './push-outcome.ts';

/** Makes the calls of tries, and judges their results. */
export interface TryMaker {
  /** Starts the call of a push; false when it cannot be rendered. */
  call: (push: PendingPush, onResult: (result: PushResult, call: SignedCall) => void) => boolean;
  /** Returns the outcome, or its promise for an outcome that needs the database. */
  judge: (push: PendingPush, result: CallResult) => PushOutcome | Promise<PushOutcome>;
}

/** Receives the outcome of a try, or the error that stopped it, once. */
export interface TryEnd {
  resolve: (outcome: PushOutcome) => void;
  reject: (error: unknown) => void;
}

/** One try of a push in the lane of its endpoint. It has callbacks instead of promises, because each push has one. */
export class PushTry implements LaneCall {
  hasEnded = false;
  private startedAt = 0;

  constructor(
    private readonly maker: TryMaker,
    readonly push: PendingPush,
    private readonly lane: EndpointLane,
    private end: TryEnd,
  ) {}

  /** Makes the try as soon as the lane has a slot. */
  begin(kind: TryKind): void {
    this.lane.run(kind, this);
  }

  start(): void {
    this.startedAt = Date.now();
    const isCalled = this.maker.call(this.push, (result, { headers }) =>
      this.finish(result.ok ? result : { ...result, requestHeaders: headers }),
    );
    // Later, because the lane starts its next call when this one ends.
    if (!isCalled) setImmediate(() => this.finish(UNRENDERABLE));
  }

  giveUp(): void {
    this.settle(waiting(this.push, this.push.attempts, 0, null, 'put_off'));
  }

  /** Sends the end of this try elsewhere. @returns where it went before */
  redirect(end: TryEnd): TryEnd {
    const before = this.end;
    this.end = end;
    return before;
  }

  private finish(result: CallResult): void {
    this.lane.end(result.ok, this.startedAt);
    try {
      const outcome = this.maker.judge(this.push, result);
      if (outcome instanceof Promise)
        outcome.then(
          (later) => this.settle(later),
          (error: unknown) => this.fail(error),
        );
      else this.settle(outcome);
    } catch (error) {
      this.fail(error);
    }
  }

  private settle(outcome: PushOutcome): void {
    this.hasEnded = true;
    this.end.resolve(outcome);
  }

  private fail(error: unknown): void {
    this.hasEnded = true;
    this.end.reject(error);
  }
}
