const CUT = 0.7;
const GROWTH_PER_SECOND = 0.05;
const MIN_CUT_GAP_MS = 1_000;
const MIN_RATE = 1;

/**
 * The pace of one number: messages leave evenly, with a burst of a tenth of a second. A throttle cuts the rate to 0.7
 * of it, at most once a second; then it grows by 5 % of the full rate each second.
 */
export class NumberPace {
  private rate: number;
  private rateAt: number;
  private cutAt = Number.NEGATIVE_INFINITY;
  private nextAt: number;

  constructor(
    /** Messages per second of this process. */
    private readonly fullRate: () => number,
    private readonly now: () => number,
  ) {
    this.rate = fullRate();
    this.rateAt = now();
    this.nextAt = now();
  }

  /** The rate that is in force now. */
  get ratePerSecond(): number {
    const full = Math.max(MIN_RATE, this.fullRate());
    const seconds = (this.now() - this.rateAt) / 1_000;
    return Math.min(full, Math.max(MIN_RATE, this.rate) + full * GROWTH_PER_SECOND * seconds);
  }

  /** Returns the milliseconds until the next message may leave, and reserves that moment if it is within the limit. */
  reserve(limitMs: number): number {
    const gapMs = 1_000 / this.ratePerSecond;
    const earliest = Math.max(this.nextAt, this.now() - 100);
    const waitMs = Math.max(0, earliest - this.now());
    if (waitMs <= limitMs) this.nextAt = earliest + gapMs;
    return waitMs;
  }

  /** Adapts to a throttle of the number. */
  cut(): void {
    if (this.now() - this.cutAt < MIN_CUT_GAP_MS) return;
    this.rate = Math.max(MIN_RATE, this.ratePerSecond * CUT);
    this.rateAt = this.now();
    this.cutAt = this.now();
  }
}
