import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import type { Calls } from './calls.ts';
import type { EndpointLane, LaneCall, TryKind } from '../endpoints/endpoint-lane.ts';
import type { PendingPush } from './pending-push.ts';
import { type CallResult, UNRENDERABLE } from './push-outcome.ts';
import type { PushTry } from './push-try.ts';

/** A webhook call in the lane of its endpoint: for one push, or for several of a webhook that takes batches. */
export class PushCall implements LaneCall {
  private startedAt = 0;
  private pushes: PendingPush[];

  constructor(
    private readonly calls: Calls,
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
      const called = this.make();
      if (called > 0) return this.leaveAfter(called);
      // Later, because the lane starts its next call when this one ends.
      if (this.tries.length === 1) return void setImmediate(() => this.finish(UNRENDERABLE));
      this.leaveAfter(this.tries.length >> 1);
    }
  }

  postpone(): void {
    for (const attempt of this.tries) attempt.postpone();
  }

  /** Keeps the first tries, and leaves the others to another call. */
  private leaveAfter(count: number): void {
    if (count === this.tries.length) return;
    const rest = this.tries.slice(count);
    this.tries = this.tries.slice(0, count);
    this.pushes = this.pushes.slice(0, count);
    new PushCall(this.calls, this.lane, this.kind, rest).begin();
  }

  private make(): number {
    return this.calls.make(this.pushes, (result, { headers }) =>
      this.finish(result.ok ? result : { ...result, requestHeaders: headers }),
    );
  }

  private finish(result: CallResult): void {
    this.lane.end(result.ok, this.startedAt);
    try {
      const outcomes = this.calls.judge(this.pushes, result);
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
