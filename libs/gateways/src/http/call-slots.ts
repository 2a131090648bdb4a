/** The calls that a gateway may have in flight. Callers wait in order, urgent ones first, each until its own limit. */
export class CallSlots {
  private readonly urgent = new Set<() => void>();
  private readonly others = new Set<() => void>();
  private used = 0;

  constructor(private readonly size: number) {}

  /** Number of calls in flight. */
  get inFlight(): number {
    return this.used;
  }

  /** Resolves with true once a slot is free, which the caller releases, or with false at the limit or the signal. */
  acquire(limitMs: number, signal: AbortSignal, isUrgent = false): Promise<boolean> {
    if (signal.aborted || limitMs <= 0) return Promise.resolve(false);
    if (this.used < this.size) {
      this.used += 1;
      return Promise.resolve(true);
    }
    const waiting = isUrgent ? this.urgent : this.others;
    return new Promise((resolve) => {
      const end = (hasSlot: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        waiting.delete(start);
        resolve(hasSlot);
      };
      const start = () => end(true);
      const giveUp = () => end(false);
      const timer = setTimeout(giveUp, limitMs);
      signal.addEventListener('abort', giveUp);
      waiting.add(start);
    });
  }

  /** Gives a slot to the urgent caller that waits longest, or else to the other one that does. */
  release(): void {
    const [next = this.others.values().next().value] = this.urgent;
    if (next) next();
    else this.used -= 1;
  }
}
