import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import type { PushResult } from '@signalbox/gateways/webhook-call';
import type { EndpointLane, LaneCall, TryKind } from './endpoint-lane.ts';
import type { PendingPush, SignedCall } from './pending-push.ts';
import { type CallResult, UNRENDERABLE } from './push-outcome.ts';
import type { PushTry } from './push-try.ts';

/** Makes calls, and judges their results. */
export interface CallMaker {
  /** Starts the call of some pushes of a webhook; false when it cannot be rendered. */
  call: (pushes: PendingPush[], onResult: (result: PushResult, call: SignedCall) => void) => boolean;
  /** Returns the outcome of each push, or its promise for an outcome that needs the database. */
  judge: (pushes: PendingPush[], result: CallResult) => (PushOutcome | Promise<PushOutcome>)[];
}

/** A webhook call in the lane of its endpoint: for one push, or for several of a webhook that takes batches. */
export class PushCall implements LaneCall {
  private startedAt = 0;

  constructor(
    private readonly maker: CallMaker,
    private readonly lane: EndpointLane,
    private readonly kind: TryKind,
    private tries: PushTry[],
  ) {}

  /** Makes the call as soon as the lane has a slot. */
  begin(): void {
    this.lane.run(this.kind, this);
  }

  /** Halves a batch that cannot be rendered: it is too long, or one of its pushes is at fault. */
  start(): void {
    this.startedAt = Date.now();
    while (!this.call()) {
      // Later, because the lane starts its next call when this one ends.
      if (this.tries.length === 1) return void setImmediate(() => this.finish(UNRENDERABLE));
      const half = this.tries.length >> 1;
      const rest = this.tries.slice(half);
      this.tries = this.tries.slice(0, half);
      new PushCall(this.maker, this.lane, this.kind, rest).begin();
    }
  }

  giveUp(): void {
    for (const attempt of this.tries) attempt.putOff();
  }

  private call(): boolean {
    return this.maker.call(this.pushes, (result, { headers }) =>
      this.finish(result.ok ? result : { ...result, requestHeaders: headers }),
    );
  }

  private get pushes(): PendingPush[] {
    return this.tries.map(({ push }) => push);
  }

  private finish(result: CallResult): void {
    this.lane.end(result.ok, this.startedAt);
    try {
      const outcomes = this.maker.judge(this.pushes, result);
      this.tries.forEach((attempt, i) => settle(attempt, outcomes[i]!));
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
