/** Milliseconds for which an account counts as active after its last work. */
const ACTIVE_MS = 1_000;

/** Delay after work, as a multiple of the time that it took. */
const DELAY_FACTOR = 2;

/** Maximum delay of an account in milliseconds, however much work was charged to it. */
const MAX_DELAY_MS = 3_000;

/** Number of accounts above which those without a delay are forgotten. */
const MAX_KEPT = 1_000;

/**
 * Throttles the bulk work of accounts that share this process: large sends, exports, deferred reports. Work that took
 * an account 100 ms delays its next bulk work by 200 ms, so that it gets at most a third of the time. An account that
 * is alone is not delayed. The callers note activity, charge the time of bulk work, and wait for the delay themselves.
 */
export class AccountThrottle {
  private latest = { accountId: '', at: Number.NEGATIVE_INFINITY };
  /** The latest activity of any account but that of `latest`. */
  private before = this.latest;
  /** The end of the delay of each account. */
  private readonly until = new Map<string, number>();

  /** @param now a clock in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Notes that an account has work in this process, of any kind. */
  noteActivity(accountId: string): void {
    if (this.latest.accountId !== accountId) {
      this.before = this.latest;
      this.latest = { accountId, at: 0 };
    }
    this.latest.at = this.now();
  }

  /** Is true while another account is active. */
  areOthersActive(accountId: string): boolean {
    const other = this.latest.accountId === accountId ? this.before : this.latest;
    return this.now() - other.at < ACTIVE_MS;
  }

  /** Is true while at least two accounts are active. */
  get isShared(): boolean {
    return this.now() - Math.min(this.latest.at, this.before.at) < ACTIVE_MS;
  }

  /** Charges the time of bulk work to an account. Without effect while no other account is active. */
  charge(accountId: string, tookMs: number): void {
    if (!this.areOthersActive(accountId)) return;
    const now = this.now();
    const from = Math.max(now, this.until.get(accountId) ?? now);
    if (this.until.size >= MAX_KEPT) this.forget(now);
    this.until.set(accountId, Math.min(from + tookMs * DELAY_FACTOR, now + MAX_DELAY_MS));
  }

  /** Returns the milliseconds until an account may begin bulk work; 0 while no other account is active. */
  delayMs(accountId: string): number {
    const until = this.until.get(accountId);
    if (until === undefined) return 0;
    const delayMs = this.areOthersActive(accountId) ? until - this.now() : 0;
    if (delayMs <= 0) this.until.delete(accountId);
    return Math.max(0, delayMs);
  }

  /** Returns the delays of all accounts that have one, in milliseconds. */
  listDelayed(): Map<string, number> {
    const delayed = new Map<string, number>();
    for (const accountId of this.until.keys()) {
      const delayMs = this.delayMs(accountId);
      if (delayMs > 0) delayed.set(accountId, delayMs);
    }
    return delayed;
  }

  private forget(now: number): void {
    for (const [accountId, until] of this.until) if (until <= now) this.until.delete(accountId);
  }
}
