import type { PushTry } from './push-try.ts';

/** The tries that a job waits for, until the hand-off. */
export class HandOff {
  /** Is true after the hand-off. A try that begins later is handed off immediately. */
  private isOver = false;
  private readonly tries: PushTry[] = [];
  private readonly over = Promise.withResolvers<undefined>();
  private readonly timer: NodeJS.Timeout;

  /** @param leave called with each try that has not ended by the hand-off, after `afterMs` */
  constructor(
    private readonly leave: (attempt: PushTry) => void,
    afterMs: number,
  ) {
    this.timer = setTimeout(() => this.pass(), afterMs);
  }

  /** Resolves at the hand-off. */
  get passed(): Promise<undefined> {
    return this.over.promise;
  }

  /** Hands a try off at the hand-off, unless it has ended. */
  watch(attempt: PushTry): void {
    if (this.isOver) this.leave(attempt);
    else this.tries.push(attempt);
  }

  /** Stops the clock of a job whose tries have ended. */
  cancel(): void {
    clearTimeout(this.timer);
  }

  private pass(): void {
    this.isOver = true;
    this.over.resolve(undefined);
    for (const attempt of this.tries) if (!attempt.hasEnded) this.leave(attempt);
  }
}
