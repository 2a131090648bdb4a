import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import type { WebhookCalls } from './webhook-calls.ts';
import type { EndpointLane, LaneCall, TryKind } from '../endpoints/endpoint-lane.ts';
import type { PendingPush } from './pending-push.ts';
import { type CallResult, UNRENDERABLE } from './push-outcome.ts';
import type { PushTry } from './push-try.ts';

/** A webhook call in the lane of its endpoint: for one push, or for several of a webhook that takes batches. */
export class PushCall implements LaneCall {
  private startedAt = 0;
  private pushes: PendingPush[];

  constructor(
    private readonly calls: WebhookCalls,
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

  /**
   * Makes the call with as many tries as fit into its body, and leaves the others to another call. A batch that cannot
   * be rendered is halved until the push at fault is alone, which then fails.
   */
  start(): void {
    this.startedAt = performance.now();
    for (;;) {
      const called = this.make();
      if (called > 0) return this.keepFirst(called);
      // In a later tick, because a lane does not expect the end of a call before `start` has returned.
      if (this.tries.length === 1) return void setImmediate(() => this.finish(UNRENDERABLE));
      this.keepFirst(this.tries.length >> 1);
    }
  }

  postpone(): void {
    for (const pushTry of this.tries) pushTry.postpone();
  }

  /** Keeps the first tries, and leaves the others to another call. */
  private keepFirst(count: number): void {
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
      const outcomes = this.calls.finish(this.pushes, result);
      for (const [i, pushTry] of this.tries.entries()) settle(pushTry, outcomes[i]!);
    } catch (error) {
      for (const pushTry of this.tries) pushTry.fail(error);
    }
  }
}

function settle(pushTry: PushTry, outcome: PushOutcome | Promise<PushOutcome>): void {
  if (outcome instanceof Promise)
    outcome.then(
      (later) => pushTry.end(later),
      (error: unknown) => pushTry.fail(error),
    );
  else pushTry.end(outcome);
}
