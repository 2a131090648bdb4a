/** Maximum milliseconds that a push waits for a slot at a healthy endpoint. */
const MAX_WAIT_MS = 1_000;

/**
 * Consecutive failures that make an endpoint unhealthy. A single failure that took longer than the maximum wait does so
 * too.
 */
const UNHEALTHY_AFTER = 3;

/**
 * An endpoint is slow when a call, or the wait for a slot, takes more milliseconds than this. The limit exceeds the delay
 * that a busy process itself adds. Otherwise jobs would stop waiting for a healthy endpoint, more jobs would begin, and
 * the process would stay busy.
 */
const SLOW_MS = 150;

/**
 * Maximum number of waiting calls that count towards the wait for a slot, about those of a job, while no other account is
 * active. An endpoint that takes them within SLOW_MS, 2,000 calls a second, is not slow then, however many wait. Jobs
 * that did not wait for it would only bring more calls.
 */
const COUNTED_CALLS = 300;

/** About the number of calls whose mean duration counts: at least twenty, and four for each slot. */
const MEAN_CALLS = { least: 20, perSlot: 4 };

/**
 * Concurrent calls to an endpoint that has not answered yet, or is unhealthy. Each success allows one more, up to its
 * limit: a thousand pushes to an endpoint that hangs must not open hundreds of connections.
 */
const START_IN_FLIGHT = 4;

/** Maximum number of later tries to claim for one endpoint in one pass. */
const MAX_ROOM = 200;

/** First and later tries wait in separate queues, which get free slots alternately. */
export type TryKind = 'first' | 'later';

/** This process's share of the limits of an endpoint. */
export interface LaneLimits {
  /** Concurrent calls. */
  inFlight: number;
  /** Calls per second; Infinity for no limit. */
  perSecond: number;
}

/** A call of a lane. */
export interface LaneCall {
  /** Makes the call in a slot. The caller ends it with `end`, never before this returns. */
  start: () => void;
  /** Called instead of `start` when the call got no slot in time: it is not made. */
  postpone: () => void;
}

interface Waiting {
  call: LaneCall;
  /** When it is postponed, by `performance.now()`. */
  until: number;
}

/**
 * Limits the calls of this process to one endpoint, in flight and per second. Further calls wait for a slot, in order
 * and for a limited time. At an endpoint that is unhealthy, or has too many calls waiting, a push gets a free slot or
 * none at all, so that it delays no job.
 */
export class EndpointLane {
  private inFlight = 0;
  private readonly waiting: Record<TryKind, Waiting[]> = { first: [], later: [] };
  private next: TryKind = 'first';
  private failuresInRow = 0;
  /** When a call last ended, or the first of those in flight began; 0 before the first call. */
  private silentSince = 0;
  private lastUseAt = 0;
  private meanCallMs = 10;
  private limits: LaneLimits = { inFlight: 1, perSecond: Infinity };
  /** Concurrent calls that its successes allow so far. */
  private window = START_IN_FLIGHT;
  private tokens = 1;
  private refilledAt = performance.now();
  private refill: NodeJS.Timeout | undefined;
  private expiry: NodeJS.Timeout | undefined;

  constructor(private readonly maxWaitMs = MAX_WAIT_MS) {}

  /** Sets the limits, before each use. */
  limit(limits: LaneLimits): this {
    this.limits = limits;
    this.lastUseAt = performance.now();
    return this;
  }

  /**
   * Gives a lane without a call so far the failures that other workers have recorded, so that no push waits for a
   * failing endpoint.
   */
  startFrom(failuresInRow: number): this {
    if (this.silentSince === 0) this.failuresInRow = failuresInRow;
    return this;
  }

  /** Starts a call as soon as it has a slot, now or later, or postpones it. */
  run(kind: TryKind, call: LaneCall): void {
    if (this.waitingCount() === 0 && this.takeSlot()) call.start();
    else if (this.limits.inFlight === 0 || this.isUnhealthy() || this.waitMs(kind) > this.maxWaitMs)
      call.postpone();
    else this.queue(kind, call);
  }

  /**
   * Frees the slot of a call, and starts the waiting calls or postpones them.
   *
   * @param ok the endpoint accepted the call
   * @param startedAt when `start` was called, by `performance.now()`
   */
  end(ok: boolean, startedAt: number): void {
    this.inFlight -= 1;
    this.silentSince = performance.now();
    const tookMs = this.silentSince - startedAt;
    this.meanCallMs += (tookMs - this.meanCallMs) / this.meanCalls;
    if (ok) this.countSuccess();
    else this.countFailure(tookMs);
    if (this.isUnhealthy()) this.postponeWaiting();
    else this.startNext();
  }

  /**
   * Number of later tries to claim now: those that will get a slot within the maximum wait, after the share of the
   * first tries. While first tries wait it is at least one, which gets the next slot: a low rate may leave none.
   */
  room(): number {
    const free = Math.min(this.maxInFlight - this.inFlight, Math.floor(this.available()));
    if (this.limits.inFlight === 0 || this.isUnhealthy()) return Math.max(0, free);
    const isShared = this.waiting.first.length > 0;
    const inTime = Math.floor(((isShared ? 0.5 : 1) * this.maxWaitMs) / this.msPerCall());
    return Math.min(MAX_ROOM, Math.max(free, isShared ? 1 : 0, inTime) - this.waiting.later.length);
  }

  /**
   * Is true when no call should wait for this endpoint: its last calls failed, or it has not answered within the
   * maximum wait.
   */
  isUnhealthy(): boolean {
    return (
      this.failuresInRow >= UNHEALTHY_AFTER ||
      (this.inFlight > 0 && performance.now() - this.silentSince > this.maxWaitMs)
    );
  }

  /**
   * Is true when calls take long, or would wait long for a slot: no job should wait for them.
   *
   * @param delaysOthers true when reports of other accounts may wait behind these jobs
   */
  isSlow(delaysOthers: boolean): boolean {
    const waitMs = this.waitMs('first');
    return (
      this.meanCallMs > SLOW_MS ||
      (this.inFlight > 0 && performance.now() - this.silentSince > SLOW_MS) ||
      (delaysOthers ? waitMs : Math.min(waitMs, COUNTED_CALLS * this.msPerCall())) > SLOW_MS
    );
  }

  /** Is true when the lane was not used since a time, by `performance.now()`, and has no call. */
  isIdleSince(time: number): boolean {
    return this.lastUseAt <= time && this.inFlight === 0 && this.waitingCount() === 0;
  }

  /** With more slots more calls count, because a pause of this process delays all that are in flight. */
  private get meanCalls(): number {
    return Math.max(MEAN_CALLS.least, MEAN_CALLS.perSlot * this.maxInFlight);
  }

  private waitingCount(): number {
    return this.waiting.first.length + this.waiting.later.length;
  }

  /** Expected milliseconds until one more push gets a slot. */
  private waitMs(kind: TryKind): number {
    const others = this.waiting[other(kind)].length;
    const mine = this.waiting[kind].length;
    return mine === 0 ? 0 : (mine + Math.min(mine, others)) * this.msPerCall(); // Infinity without a slot
  }

  private msPerCall(): number {
    return Math.max(this.meanCallMs / this.maxInFlight, 1000 / this.limits.perSecond);
  }

  private queue(kind: TryKind, call: LaneCall): void {
    this.waiting[kind].push({ call, until: performance.now() + this.maxWaitMs });
    this.expiry ??= setTimeout(() => this.expire(), this.maxWaitMs);
    this.awaitToken();
  }

  /** Postpones the calls that waited too long, which are the first of their kinds. */
  private expire(): void {
    const now = performance.now();
    const expired = [this.waiting.first, this.waiting.later].flatMap((calls) => {
      const count = calls.findIndex(({ until }) => until > now);
      return calls.splice(0, count < 0 ? calls.length : count);
    });
    const next = Math.min(
      ...[...this.waiting.first.slice(0, 1), ...this.waiting.later.slice(0, 1)].map(({ until }) => until),
    );
    this.expiry = next === Infinity ? undefined : setTimeout(() => this.expire(), next - now);
    for (const { call } of expired) call.postpone();
  }

  private countSuccess(): void {
    this.failuresInRow = 0;
    this.window = Math.min(this.window + 1, Math.max(START_IN_FLIGHT, this.limits.inFlight));
  }

  private countFailure(tookMs: number): void {
    this.failuresInRow += 1;
    if (tookMs > this.maxWaitMs) this.failuresInRow = Math.max(UNHEALTHY_AFTER, this.failuresInRow);
    if (this.failuresInRow >= UNHEALTHY_AFTER) this.window = START_IN_FLIGHT;
  }

  /** Concurrent calls that are allowed now. */
  private get maxInFlight(): number {
    return Math.min(this.limits.inFlight, this.window);
  }

  private takeSlot(): boolean {
    if (this.inFlight >= this.maxInFlight || this.available() < 1) return false;
    this.tokens -= 1;
    if (this.inFlight === 0) this.silentSince = performance.now();
    this.inFlight += 1;
    return true;
  }

  /** Calls that the rate permits now. The burst after a pause is a quarter of a second's calls, and at least one. */
  private available(): number {
    this.tokens = this.limits.perSecond === Infinity ? Infinity : this.refilled();
    return this.tokens;
  }

  private refilled(): number {
    const { perSecond } = this.limits;
    const now = performance.now();
    const earned = ((now - this.refilledAt) * perSecond) / 1000;
    this.refilledAt = now;
    return Math.min(this.tokens + earned, Math.max(1, perSecond / 4));
  }

  private postponeWaiting(): void {
    for (const { call } of [...this.waiting.first.splice(0), ...this.waiting.later.splice(0)])
      call.postpone();
  }

  private startNext(): void {
    while (this.waitingCount() > 0 && this.takeSlot()) this.shift()?.call.start();
    this.awaitToken();
  }

  private shift(): Waiting | undefined {
    const kind = this.waiting[this.next].length > 0 ? this.next : other(this.next);
    this.next = other(kind);
    return this.waiting[kind].shift();
  }

  /** Starts a timer when calls wait for the rate, because no call may be in flight whose end would start them. */
  private awaitToken(): void {
    if (this.refill || this.waitingCount() === 0 || this.inFlight >= this.maxInFlight) return;
    // A token may have come since a slot was refused. The timer then fires immediately, because nothing else would
    // start the call.
    const missing = Math.max(0, 1 - this.available());
    this.refill = setTimeout(
      () => {
        this.refill = undefined;
        this.startNext();
      },
      Math.ceil((missing * 1000) / this.limits.perSecond),
    );
  }
}

function other(kind: TryKind): TryKind {
  return kind === 'first' ? 'later' : 'first';
}
