import type { PushTry } from './push-try.ts';

/** Hands off the tries that a job still waits for when its time is up. */
export class HandOffTimer {
  /** True once the time is up. A try that begins later is handed off immediately. */
  private hasPassed = false;
  private readonly tries: PushTry[] = [];
  private readonly moment = Promise.withResolvers<undefined>();
  private readonly timer: NodeJS.Timeout;

  /** @param handOff called with each try that has not ended by the hand-off, after `afterMs` */
  constructor(
    private readonly handOff: (pushTry: PushTry) => void,
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

  /** Cancels the hand-off of a job whose tries have ended. */
  cancel(): void {
    clearTimeout(this.timer);
  }

  private pass(): void {
    this.hasPassed = true;
    this.moment.resolve(undefined);
    for (const pushTry of this.tries) if (!pushTry.hasEnded) this.handOff(pushTry);
  }
}
