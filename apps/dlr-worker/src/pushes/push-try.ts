import type { PushOutcome } from '@signalbox/database/webhooks/pushes';
import type { PendingPush } from './pending-push.ts';
import { waitingOutcome } from './push-outcome.ts';

/** Receives the outcome of a try, or the error that stopped it, once. */
export interface TryEnd {
  resolve: (outcome: PushOutcome) => void;
  reject: (error: unknown) => void;
}

/**
 * One try of a push. It has callbacks instead of promises: there is one for every push, and promises would cost more.
 */
export class PushTry {
  hasEnded = false;

  constructor(
    readonly push: PendingPush,
    private receiver: TryEnd,
  ) {}

  /** Ends the try without a call: its endpoint has no free slot. */
  postpone(): void {
    this.end(waitingOutcome(this.push, this.push.attempts, 0, null, 'put_off'));
  }

  /** Replaces the receiver of the outcome. @returns the former one */
  redirect(end: TryEnd): TryEnd {
    const before = this.receiver;
    this.receiver = end;
    return before;
  }

  end(outcome: PushOutcome): void {
    this.hasEnded = true;
    this.receiver.resolve(outcome);
  }

  fail(error: unknown): void {
    this.hasEnded = true;
    this.receiver.reject(error);
  }
}
