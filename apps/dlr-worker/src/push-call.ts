import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import type { PushResult } from '@signalbox/gateways/webhook-call';
import type { EndpointLane, LaneCall, TryKind } from './endpoint-lane.ts';
import type { PendingPush, SignedCall } from './pending-push.ts';
import { type CallResult, UNRENDERABLE } from './push-outcome.ts';
import type { PushTry } from './push-try.ts';

/** Makes calls, and judges their results. */
export interface CallMaker {
  /**
   * Starts a call with the first of some pushes of a webhook.
   *
   * @returns their number; 0 when one of them cannot be rendered
   */
  call: (pushes: PendingPush[], onResult: (result: PushResult, call: SignedCall) => void) => number;
  /** Returns the outcome of each push, or its promise for an outcome that needs the database. */
  judge: (pushes: PendingPush[], result: CallResult) => (PushOutcome | Promise<PushOutcome>)[];
}

/** A webhook call in the lane of its endpoint: for one push, or for several of a webhook that takes batches. */
export class PushCall implements LaneCall {
  private startedAt = 0;
  private pushes: PendingPush[];

  constructor(
    private readonly maker: CallMaker,
    private readonly lane: EndpointLane,
    private readonly kind: TryKind,
    private tries: PushTry[],
  ) {
    this.pushes = tries.map(({ push }) => push);
  }

  /** Makes the call as soon as the lane has a slot. */
  begin(): void {
    this.lane.run(this.kind, this);
  }

  /** Divides a batch that is too long for a call, and halves one that cannot be rendered. */
  start(): void {
    this.startedAt = Date.now();
    for (;;) {
      const called = this.call();
      if (called > 0) return this.leaveAfter(called);
      // Later, because the lane starts its next call when this one ends.
      if (this.tries.length === 1) return void setImmediate(() => this.finish(UNRENDERABLE));
      this.leaveAfter(this.tries.length >> 1);
    }
  }

  giveUp(): void {
    for (const attempt of this.tries) attempt.putOff();
  }

  /** Keeps the first tries, and leaves the others to another call. */
  private leaveAfter(count: number): void {
    if (count === this.tries.length) return;
    const rest = this.tries.slice(count);
    this.tries = this.tries.slice(0, count);
    this.pushes = this.pushes.slice(0, count);
    new PushCall(this.maker, this.lane, this.kind, rest).begin();
  }

  private call(): number {
    return this.maker.call(this.pushes, (result, { headers }) =>
      this.finish(result.ok ? result : { ...result, requestHeaders: headers }),
    );
  }

  private finish(result: CallResult): void {
    this.lane.end(result.ok, this.startedAt);
    try {
      const outcomes = this.maker.judge(this.pushes, result);
      for (const [i, attempt] of this.tries.entries()) settle(attempt, outcomes[i]!);
    } catch (error) {
      for (const attempt of this.tries) attempt.fail(error);
    }
  }
}

function settle(attempt: PushTry, outcome: PushOutcome | Promise<PushOutcome>): void {
  if (outcome instanceof Promise)
    outcome.then(
      (later) => attempt.settle(later),
      (error: unknown) => attempt.fail(error),
    );
  else attempt.settle(outcome);
}
