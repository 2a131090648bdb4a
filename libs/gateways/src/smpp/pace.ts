import type { Clock } from './clock.ts';

const CUT = 0.7;
const CUT_EVERY_MS = 1_000;
const GROWTH_PER_SECOND = 1.05;
/** Segments per second that a throttled gateway gets at least, unless its limit is lower. */
const MIN_RATE = 0.5;
/** Time without a segment after a throttle, so that a full window does not meet the same answer again. */
const PAUSE_MS = 200;
/** Seconds of the rate that may be sent in one go. */
const BURST_SECONDS = 0.05;
/** A rate above it, reached without a configured limit, is no limit. */
const NO_RATE = 100_000;

/**
 * The pace of one process towards a gateway, in segments. It never exceeds its limit; each throttle multiplies it by
 * 0.7, at most once a second, and then it grows by 5 % a second. Without a limit it is unlimited until the first
 * throttle, which shows what the gateway takes.
 */
export class Pace {
  private tokens = 1;
  private refilledAt: number;
  private cutAt = Number.NEGATIVE_INFINITY;
  private heldUntil = Number.NEGATIVE_INFINITY;
  /** The rate that throttles have left; undefined while only the limit counts. */
  private reduced: number | undefined;
  private second = { from: Number.NEGATIVE_INFINITY, sent: 0, before: 0 };

  /** @param limit this process's segments per second now; null for no limit */
  constructor(
    private readonly clock: Clock,
    private readonly limit: () => number | null,
  ) {
    this.refilledAt = clock.now();
  }

  /** Segments per second now; null without a limit. */
  get ratePerSecond(): number | null {
    const limit = this.limit();
    if (this.reduced === undefined) return limit;
    return limit === null ? this.reduced : Math.min(limit, this.reduced);
  }

  /** True while throttles hold the rate below its limit. */
  get isReduced(): boolean {
    return this.reduced !== undefined;
  }

  /**
   * Takes the permission for a PDU. One that the server splits is sent as soon as one segment may be, and what follows
   * waits for all of its segments.
   *
   * @returns 0, or the milliseconds after which to ask again
   */
  take(segments = 1): number {
    const now = this.clock.now();
    this.refill(now);
    if (now < this.heldUntil) return this.heldUntil - now;
    const rate = this.ratePerSecond;
    if (rate !== null && this.tokens < 1)
      return rate > 0 ? Math.ceil((1 - this.tokens) * (1000 / rate)) : 1_000;
    this.tokens -= segments;
    this.count(now, segments);
    return 0;
  }

  /** Records that the gateway throttled a segment. */
  slowDown(): void {
    const now = this.clock.now();
    this.refill(now);
    this.tokens = Math.min(this.tokens, 0);
    this.heldUntil = now + PAUSE_MS;
    if (now - this.cutAt < CUT_EVERY_MS) return;
    this.cutAt = now;
    const rate = this.ratePerSecond ?? this.measured;
    this.reduced = Math.max(rate * CUT, Math.min(rate, MIN_RATE));
  }

  private refill(now: number): void {
    const seconds = (now - this.refilledAt) / 1000;
    this.refilledAt = now;
    if (this.reduced !== undefined) this.grow(seconds);
    const rate = this.ratePerSecond;
    const capacity = rate === null ? 1 : Math.max(1, rate * BURST_SECONDS);
    this.tokens = Math.min(capacity, this.tokens + seconds * (rate ?? 1_000));
  }

  private grow(seconds: number): void {
    const grown = this.reduced! * GROWTH_PER_SECOND ** seconds;
    this.reduced = grown >= (this.limit() ?? NO_RATE) ? undefined : grown;
  }

  /** Segments of the busier of this second and the last, at least 1. */
  private get measured(): number {
    return Math.max(1, this.second.sent, this.second.before);
  }

  private count(now: number, segments: number): void {
    if (now - this.second.from >= 1_000) {
      const before = now - this.second.from < 2_000 ? this.second.sent : 0;
      this.second = { from: now, sent: 0, before };
    }
    this.second.sent += segments;
  }
}
