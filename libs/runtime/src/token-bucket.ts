/** Seconds of unused tokens that may be saved: it bounds the burst after a pause. */
const BURST_SECONDS = 0.5;

/**
 * Limits the rate of work: tokens accrue at a rate, and each unit of work takes one. Tokens taken beyond the balance
 * are owed.
 */
export class TokenBucket {
  private tokens: number;
  private at: number;

  /**
   * @param rate tokens per second; it may change from call to call
   * @param now a clock in milliseconds
   */
  constructor(
    private readonly rate: () => number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.tokens = this.capacity();
    this.at = now();
  }

  /** Whole tokens that can be taken now. @param keep share of the bucket, from 0 to 1, to leave for others */
  available(keep = 0): number {
    this.fill();
    return Math.max(0, Math.floor(this.tokens - keep * (this.capacity() - 1)));
  }

  /** Tokens that can be taken now when the last one may be owed in part; none while one is owed. @param keep see `available` */
  availableOnLoan(keep = 0): number {
    this.fill();
    return Math.max(0, Math.ceil(this.tokens - keep * (this.capacity() - 1)));
  }

  /** Takes tokens, also beyond the balance. */
  take(count: number): void {
    this.fill();
    this.tokens -= count;
  }

  /** Takes tokens for work that did not ask for them, until a whole bucket is owed; the rest is forgiven. */
  owe(count: number): void {
    this.fill();
    this.tokens = Math.min(this.tokens, Math.max(this.tokens - count, -this.capacity()));
  }

  /** Milliseconds until `available` is at least `count`, or the bucket is full. */
  waitMs(count: number, keep = 0): number {
    this.fill();
    const kept = keep * (this.capacity() - 1);
    const missing = Math.min(count, Math.floor(this.capacity() - kept)) + kept - this.tokens;
    return missing <= 0 ? 0 : Math.ceil((missing / this.rate()) * 1000);
  }

  private capacity(): number {
    return Math.max(1, this.rate() * BURST_SECONDS);
  }

  private fill(): void {
    const now = this.now();
    this.tokens = Math.min(this.capacity(), this.tokens + ((now - this.at) / 1000) * this.rate());
    this.at = now;
  }
}
