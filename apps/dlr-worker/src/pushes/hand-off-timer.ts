import type { PushTry } from './push-try.ts';

/** Hands off the tries of some reports that have not ended when their time is up. */
export class HandOffTimer {
  /** True once the time is up. A try that begins later is handed off immediately. */
  private hasPassed = false;
  private readonly tries: PushTry[] = [];
  private readonly handedOff: Promise<void>[] = [];
  private readonly moment = Promise.withResolvers<undefined>();
  private readonly timer: NodeJS.Timeout;

  /**
   * @param handOffTry called with each try that has not ended by the hand-off, after `afterMs`; resolves when its outcome
   * is recorded
   */
  constructor(
    private readonly handOffTry: (pushTry: PushTry) => Promise<void>,
    afterMs: number,
  ) {
    this.timer = setTimeout(() => this.pass(), afterMs);
  }

  /** Resolves at the hand-off. */
  get passed(): Promise<undefined> {
    return this.moment.promise;
  }

  /** Adds a try, which is handed off unless it ends in time. */
  watch(pushTry: PushTry): void {
    if (this.hasPassed) this.handOff(pushTry);
    else this.tries.push(pushTry);
  }

  /** Ends the time now. */
  pass(): void {
    this.cancel();
    this.hasPassed = true;
    this.moment.resolve(undefined);
    for (const pushTry of this.tries.splice(0)) this.handOff(pushTry);
  }

  /** Cancels the hand-off, because the tries have ended. */
  cancel(): void {
    clearTimeout(this.timer);
  }

  /** Resolves when the tries handed off so far have ended, and their outcomes are recorded. */
  async handedOffEnded(): Promise<void> {
    await Promise.all(this.handedOff);
  }

  private handOff(pushTry: PushTry): void {
    if (!pushTry.hasEnded) this.handedOff.push(this.handOffTry(pushTry));
  }
}
