/** How long a push waits for a place at an end point that is well, unless told. */
const PATIENCE_MS = 1_000;

/** So many calls that fail in a row make an end point unwell, and so does one that took longer than the patience. */
const UNWELL_AFTER = 3;

/** The most later tries to take up for one end point at once. */
const MAX_ROOM = 200;

/** First tries and later ones wait in queues of their own, and free places go to both in turn. */
export type Turn = 'first' | 'later';

/** What an end point can take from this process. */
export interface LaneLimits {
  inFlight: number;
  /** Infinity for no limit. */
  perSecond: number;
}

/** A call that got its place, or no place in time. */
export type Placed<R> = { placed: true; result: R } | { placed: false };

interface Waiting {
  start: () => void;
  giveUp: () => void;
}

/**
 * The calls of this process to one end point: a bounded number in flight and a second, the rest waiting a moment in order.
 * An end point whose last calls failed, that has answered nothing for a while, or that has too many waiting already gets no
 * patience: its pushes take a free place or are put off at once, so that it holds up no job.
 */
export class EndpointLane {
  private inFlight = 0;
  private readonly waiting: Record<Turn, Waiting[]> = { first: [], later: [] };
  private next: Turn = 'first';
  private failuresInRow = 0;
  private lastAnswerAt = 0;
  private meanCallMs = 10;
  private limits: LaneLimits = { inFlight: 1, perSecond: Infinity };
  private tokens = 1;
  private refilledAt = Date.now();
  private refill: NodeJS.Timeout | undefined;

  constructor(private readonly patienceMs = PATIENCE_MS) {}

  /** Takes over the limits as they are now. */
  limit(limits: LaneLimits): this {
    this.limits = limits;
    return this;
  }

  /** Counts failures that others saw, so that a new lane does not begin with patience. */
  expect(failuresInRow: number): this {
    if (this.lastAnswerAt === 0) this.failuresInRow = failuresInRow;
    return this;
  }

  /**
   * Makes a call when there is a place for it.
   *
   * @param call resolves with whether the end point took it
   */
  run<R extends { ok: boolean }>(turn: Turn, call: () => Promise<R>): Promise<Placed<R>> {
    if (this.waitingCount() === 0 && this.takePlace()) return this.place(call);
    if (this.limits.inFlight === 0 || this.isUnwell() || this.waitMs(turn) > this.patienceMs)
      return Promise.resolve({ placed: false });
    return this.queue(turn, call);
  }

  /** How many later tries are worth taking up now: as many as will find a place within the patience beside the first tries. */
  room(): number {
    const free = Math.min(this.limits.inFlight - this.inFlight, Math.floor(this.available()));
    if (this.limits.inFlight === 0 || this.isUnwell()) return Math.max(0, free);
    const part = this.waiting.first.length > 0 ? 0.5 : 1;
    return Math.min(
      MAX_ROOM,
      Math.max(free, Math.floor((part * this.patienceMs) / this.msPerCall())) - this.waiting.later.length,
    );
  }

  /** Whether nobody should wait for this end point: its last calls failed, or it has answered nothing for a while. */
  isUnwell(): boolean {
    return (
      this.failuresInRow >= UNWELL_AFTER ||
      (this.inFlight > 0 && Date.now() - this.lastAnswerAt > this.patienceMs)
    );
  }

  private waitingCount(): number {
    return this.waiting.first.length + this.waiting.later.length;
  }

  /** How long one more push would wait for its place. */
  private waitMs(turn: Turn): number {
    const others = this.waiting[turn === 'first' ? 'later' : 'first'].length;
    const mine = this.waiting[turn].length;
    return (mine + Math.min(mine, others)) * this.msPerCall();
  }

  private msPerCall(): number {
    return Math.max(this.meanCallMs / this.limits.inFlight, 1000 / this.limits.perSecond);
  }

  private queue<R extends { ok: boolean }>(turn: Turn, call: () => Promise<R>): Promise<Placed<R>> {
    const queue = this.waiting[turn];
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

  /** The place must have been taken. */
  private async place<R extends { ok: boolean }>(call: () => Promise<R>): Promise<Placed<R>> {
    const startedAt = Date.now();
    let ok = false;
    try {
      const result = await call();
      ok = result.ok;
      return { placed: true, result };
    } finally {
      this.inFlight -= 1;
      this.lastAnswerAt = Date.now();
      const tookMs = this.lastAnswerAt - startedAt;
      this.failuresInRow = ok
        ? 0
        : tookMs > this.patienceMs
          ? Math.max(UNWELL_AFTER, this.failuresInRow + 1)
          : this.failuresInRow + 1;
      this.meanCallMs += (tookMs - this.meanCallMs) / 20;
      if (this.isUnwell()) this.giveUpWaiting();
      else this.startNext();
    }
  }

  private takePlace(): boolean {
    if (this.inFlight >= this.limits.inFlight || this.available() < 1) return false;
    this.tokens -= 1;
    if (this.inFlight === 0) this.lastAnswerAt = Date.now();
    this.inFlight += 1;
    return true;
  }

  /** Calls that the rate permits now: after a rest at most those of a quarter of a second, and always one. */
  private available(): number {
    const { perSecond } = this.limits;
    if (perSecond === Infinity) return (this.tokens = Infinity);
    const now = Date.now();
    this.tokens = Math.min(
      this.tokens + ((now - this.refilledAt) * perSecond) / 1000,
      Math.max(1, perSecond / 4),
    );
    this.refilledAt = now;
    return this.tokens;
  }

  private giveUpWaiting(): void {
    for (const { giveUp } of [...this.waiting.first.splice(0), ...this.waiting.later.splice(0)]) giveUp();
  }

  private startNext(): void {
    while (this.waitingCount() > 0 && this.takePlace()) this.shift()?.start();
    this.awaitToken();
  }

  private shift(): Waiting | undefined {
    const turn = this.waiting[this.next].length > 0 ? this.next : this.next === 'first' ? 'later' : 'first';
    this.next = turn === 'first' ? 'later' : 'first';
    return this.waiting[turn].shift();
  }

  /** When calls wait for the rate alone, no call that ends will start the next one. */
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
