/** Milliseconds that a push waits for a place at a healthy endpoint, by default. */
const PATIENCE_MS = 1_000;

/** Consecutive failures that make an endpoint unwell. One failure that took longer than the patience does so too. */
const UNWELL_AFTER = 3;

/** Maximum number of later tries to claim for one endpoint in one pass. */
const MAX_ROOM = 200;

/** First and later tries wait in separate queues, which get free places alternately. */
export type TryKind = 'first' | 'later';

/** This process's share of the limits of an endpoint. */
export interface LaneLimits {
  /** Concurrent calls. */
  inFlight: number;
  /** Calls per second; Infinity for no limit. */
  perSecond: number;
}

/** Outcome of waiting for a place: the result of the call, or no place in time. */
export type Placed<R> = { placed: true; result: R } | { placed: false };

interface Waiting {
  start: () => void;
  giveUp: () => void;
}

/**
 * Limits the calls of this process to one endpoint, in flight and per second. Further calls wait for a place, in order and for a
 * limited time. At an endpoint that is unwell, or has too many calls waiting, a push takes a free place or is put off immediately, so
 * that it delays no job.
 */
export class EndpointLane {
  private inFlight = 0;
  private readonly waiting: Record<TryKind, Waiting[]> = { first: [], later: [] };
  private next: TryKind = 'first';
  private failuresInRow = 0;
  private lastAnswerAt = 0;
  private meanCallMs = 10;
  private limits: LaneLimits = { inFlight: 1, perSecond: Infinity };
  private tokens = 1;
  private refilledAt = Date.now();
  private refill: NodeJS.Timeout | undefined;

  constructor(private readonly patienceMs = PATIENCE_MS) {}

  /** Sets the limits. */
  limit(limits: LaneLimits): this {
    this.limits = limits;
    return this;
  }

  /** Adopts the failures that other workers have seen, so that a new lane does not start with patience. */
  expect(failuresInRow: number): this {
    if (this.lastAnswerAt === 0) this.failuresInRow = failuresInRow;
    return this;
  }

  /**
   * Makes a call as soon as it has a place.
   *
   * @param call resolves with `ok` when the endpoint accepted it
   */
  run<R extends { ok: boolean }>(kind: TryKind, call: () => Promise<R>): Promise<Placed<R>> {
    if (this.waitingCount() === 0 && this.takePlace()) return this.place(call);
    if (this.limits.inFlight === 0 || this.isUnwell() || this.waitMs(kind) > this.patienceMs)
      return Promise.resolve({ placed: false });
    return this.queue(kind, call);
  }

  /** Number of later tries worth claiming now: those that will get a place within the patience, in addition to the first tries. */
  room(): number {
    const free = Math.min(this.limits.inFlight - this.inFlight, Math.floor(this.available()));
    if (this.limits.inFlight === 0 || this.isUnwell()) return Math.max(0, free);
    const part = this.waiting.first.length > 0 ? 0.5 : 1;
    return Math.min(
      MAX_ROOM,
      Math.max(free, Math.floor((part * this.patienceMs) / this.msPerCall())) - this.waiting.later.length,
    );
  }

  /** True when no call should wait for this endpoint: its last calls failed, or it has not answered within the patience. */
  isUnwell(): boolean {
    return (
      this.failuresInRow >= UNWELL_AFTER ||
      (this.inFlight > 0 && Date.now() - this.lastAnswerAt > this.patienceMs)
    );
  }

  private waitingCount(): number {
    return this.waiting.first.length + this.waiting.later.length;
  }

  /** Expected milliseconds until one more push gets a place. */
  private waitMs(kind: TryKind): number {
    const others = this.waiting[other(kind)].length;
    const mine = this.waiting[kind].length;
    return (mine + Math.min(mine, others)) * this.msPerCall();
  }

  private msPerCall(): number {
    return Math.max(this.meanCallMs / this.limits.inFlight, 1000 / this.limits.perSecond);
  }

  private queue<R extends { ok: boolean }>(kind: TryKind, call: () => Promise<R>): Promise<Placed<R>> {
    const queue = this.waiting[kind];
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(entry), 1);
        entry.giveUp();
      }, this.patienceMs);
      const entry: Waiting = {
        start: () => {
          clearTimeout(timer);
          this.place(call).then(resolve, reject);
        },
        giveUp: () => {
          clearTimeout(timer);
          resolve({ placed: false });
        },
      };
      queue.push(entry);
      this.awaitToken();
    });
  }

  /** Makes a call in a place that was taken before. */
  private async place<R extends { ok: boolean }>(call: () => Promise<R>): Promise<Placed<R>> {
    const startedAt = Date.now();
    let ok = false;
    try {
      const result = await call();
      ok = result.ok;
      return { placed: true, result };
    } finally {
      this.end(ok, startedAt);
    }
  }

  /** Frees the place of a call, and starts the next ones or puts them off. */
  private end(ok: boolean, startedAt: number): void {
    this.inFlight -= 1;
    this.lastAnswerAt = Date.now();
    const tookMs = this.lastAnswerAt - startedAt;
    this.meanCallMs += (tookMs - this.meanCallMs) / 20;
    if (ok) this.failuresInRow = 0;
    else this.countFailure(tookMs);
    if (this.isUnwell()) this.giveUpWaiting();
    else this.startNext();
  }

  private countFailure(tookMs: number): void {
    this.failuresInRow += 1;
    if (tookMs > this.patienceMs) this.failuresInRow = Math.max(UNWELL_AFTER, this.failuresInRow);
  }

  private takePlace(): boolean {
    if (this.inFlight >= this.limits.inFlight || this.available() < 1) return false;
    this.tokens -= 1;
    if (this.inFlight === 0) this.lastAnswerAt = Date.now();
    this.inFlight += 1;
    return true;
  }

  /** Calls that the rate permits now: after a pause at most those of a quarter of a second, and always one. */
  private available(): number {
    this.tokens = this.limits.perSecond === Infinity ? Infinity : this.refilled();
    return this.tokens;
  }

  private refilled(): number {
    const { perSecond } = this.limits;
    const now = Date.now();
    const earned = ((now - this.refilledAt) * perSecond) / 1000;
    this.refilledAt = now;
    return Math.min(this.tokens + earned, Math.max(1, perSecond / 4));
  }

  private giveUpWaiting(): void {
    for (const { giveUp } of [...this.waiting.first.splice(0), ...this.waiting.later.splice(0)]) giveUp();
  }

  private startNext(): void {
    while (this.waitingCount() > 0 && this.takePlace()) this.shift()?.start();
    this.awaitToken();
  }

  private shift(): Waiting | undefined {
    const kind = this.waiting[this.next].length > 0 ? this.next : other(this.next);
    this.next = other(kind);
    return this.waiting[kind].shift();
  }

  /** Starts a timer when calls wait for the rate alone: then no ending call starts the next one. */
  private awaitToken(): void {
    if (this.refill || this.waitingCount() === 0 || this.available() >= 1) return;
    this.refill = setTimeout(
      () => {
        this.refill = undefined;
        this.startNext();
      },
      Math.ceil(((1 - this.tokens) * 1000) / this.limits.perSecond),
    );
  }
}

function other(kind: TryKind): TryKind {
  return kind === 'first' ? 'later' : 'first';
}
