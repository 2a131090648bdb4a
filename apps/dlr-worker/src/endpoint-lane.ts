/** How long a push waits for a place at an end point that is well, unless told. */
const PATIENCE_MS = 1_000;

/** A push that was put off comes back no sooner, and no later, than this. */
const MIN_PUT_OFF_MS = 2_000;
const MAX_PUT_OFF_MS = 600_000;

/** A call that got its place, or no place in time. */
export type Placed<R> = { placed: true; result: R } | { placed: false };

interface Waiting {
  start: () => void;
  giveUp: () => void;
}

/**
 * The calls to one end point: a bounded number in flight, the rest waiting a moment in order.
 * An end point whose last call failed, that has answered nothing for a while, or that has too many waiting already gets no
 * patience: its pushes take a free place or are put off at once, so that it holds up no job.
 */
export class EndpointLane {
  private inFlight = 0;
  private readonly waiting: Waiting[] = [];
  private lastFailed = false;
  private lastAnswerAt = 0;
  private meanCallMs = 10;
  private putOffUntil = 0;

  constructor(private readonly patienceMs = PATIENCE_MS) {}

  /**
   * Makes a call when there is a place for it.
   *
   * @param call resolves with whether the end point took it
   */
  run<R extends { ok: boolean }>(maxInFlight: number, call: () => Promise<R>): Promise<Placed<R>> {
    if (this.inFlight < maxInFlight) return this.place(call);
    if (this.isUnwell() || this.waitMs(maxInFlight) > this.patienceMs) return Promise.resolve({ placed: false });
    return this.queue(call);
  }

  /** When a push that found no place should come back: late enough for those put off before it to be done. */
  putOffMs(maxInFlight: number): number {
    const now = Date.now();
    this.putOffUntil = Math.max(this.putOffUntil, now + MIN_PUT_OFF_MS) + this.meanCallMs / maxInFlight;
    return Math.min(this.putOffUntil - now, MAX_PUT_OFF_MS);
  }

  /** Whether nobody should wait for this end point: its last call failed, or it has answered nothing for a while. */
  isUnwell(): boolean {
    return this.lastFailed || (this.inFlight > 0 && Date.now() - this.lastAnswerAt > this.patienceMs);
  }

  /** How long one more push would wait for its place. */
  private waitMs(maxInFlight: number): number {
    return (this.waiting.length * this.meanCallMs) / maxInFlight;
  }

  private queue<R extends { ok: boolean }>(call: () => Promise<R>): Promise<Placed<R>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        entry.giveUp();
      }, this.patienceMs);
      const entry: Waiting = {
        start: () => {
          clearTimeout(timer);
          this.place(call).then(resolve, reject);
        },
        giveUp: () => resolve({ placed: false }),
      };
      this.waiting.push(entry);
    });
  }

  private async place<R extends { ok: boolean }>(call: () => Promise<R>): Promise<Placed<R>> {
    if (this.inFlight === 0) this.lastAnswerAt = Date.now();
    this.inFlight += 1;
    const startedAt = Date.now();
    try {
      const result = await call();
      this.lastFailed = !result.ok;
      return { placed: true, result };
    } finally {
      this.inFlight -= 1;
      this.lastAnswerAt = Date.now();
      this.meanCallMs += (this.lastAnswerAt - startedAt - this.meanCallMs) / 20;
      this.waiting.shift()?.start();
    }
  }
}
