const CUT = 0.7;
const GROWTH_PER_SECOND = 0.05;
const MIN_CUT_GAP_MS = 1_000;
const MIN_RATE = 1;

/** A moment that is reserved for a message. */
export interface Slot {
  /** Milliseconds until the message may leave, unless codes pass it meanwhile. */
  waitMs: number;
  /** The time that codes had taken from others when it was reserved. */
  passedMs: number;
}

/**
 * The pace of one number: messages leave evenly, with a burst of a tenth of a second. Codes pass the others, which then
 * leave later by as much. A throttle cuts the rate to 0.7 of it, at most once a second; then it grows by 5 % of the full
 * rate each second.
 */
export class NumberPace {
  private rate: number;
  private rateAt: number;
  private cutAt = Number.NEGATIVE_INFINITY;
  private nextAt: number;
  private nextCodeAt: number;
  /** Milliseconds that codes have taken from others. */
  private passedMs = 0;

  constructor(
    /** Messages per second of this process. */
    private readonly fullRate: () => number,
    private readonly now: () => number,
  ) {
    this.rate = fullRate();
    this.rateAt = now();
    this.nextAt = now();
    this.nextCodeAt = now();
  }

  /** The rate that is in force now. */
  get ratePerSecond(): number {
    const full = Math.max(MIN_RATE, this.fullRate());
    const seconds = (this.now() - this.rateAt) / 1_000;
    return Math.min(full, Math.max(MIN_RATE, this.rate) + full * GROWTH_PER_SECOND * seconds);
  }

  /** Returns the moment at which a message may leave, and reserves it if it is within the limit. */
  reserve(limitMs: number, isCode: boolean): Slot {
    const gapMs = 1_000 / this.ratePerSecond;
    const earliest = Math.max(isCode ? this.nextCodeAt : this.nextAt, this.now() - 100);
    const slot = { waitMs: Math.max(0, earliest - this.now()), passedMs: this.passedMs };
    if (slot.waitMs > limitMs) return slot;
    this.nextAt = Math.max(this.nextAt, earliest) + gapMs;
    if (isCode) this.passBy(earliest + gapMs, gapMs);
    return slot;
  }

  /** Returns the milliseconds by which codes have put a message off since it was reserved, or since the last call. */
  putOffMs(slot: Slot): number {
    const ms = this.passedMs - slot.passedMs;
    slot.passedMs = this.passedMs;
    return ms;
  }

  /** Adapts to a throttle of the number. */
  cut(): void {
    if (this.now() - this.cutAt < MIN_CUT_GAP_MS) return;
    this.rate = Math.max(MIN_RATE, this.ratePerSecond * CUT);
    this.rateAt = this.now();
    this.cutAt = this.now();
  }

  private passBy(nextCodeAt: number, gapMs: number): void {
    this.nextCodeAt = nextCodeAt;
    this.passedMs += gapMs;
  }
}
