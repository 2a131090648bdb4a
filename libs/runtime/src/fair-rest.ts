/** Milliseconds for which an account counts as active after its last work. */
const ACTIVE_MS = 1_000;

/** Rest after work, as a multiple of the time that it took. */
const REST = 2;

/** Maximum milliseconds that an account rests for the work charged to it so far. */
const MAX_REST_MS = 3_000;

/** Accounts above which those that no longer rest are forgotten. */
const MAX_KEPT = 1_000;

/**
 * Lets the large work of one account leave the machine to the others: work that can wait rests for twice the time that
 * the account's last work took, so that it gets a third of what it could. While no other account is active nothing
 * rests. A busy machine makes work, and with it the rests, longer.
 */
export class FairRest {
  private latest = { accountId: '', at: Number.NEGATIVE_INFINITY };
  /** The latest activity of any other account. */
  private before = this.latest;
  /** When the rest of each account ends. */
  private readonly until = new Map<string, number>();

  /** @param now a clock in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Notes that an account has work in this process. */
  note(accountId: string): void {
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

  /** Charges time to an account: its work that can wait rests for longer. */
  charge(accountId: string, tookMs: number): void {
    if (!this.areOthersActive(accountId)) return;
    const now = this.now();
    const from = Math.max(now, this.until.get(accountId) ?? now);
    if (this.until.size >= MAX_KEPT) this.forget(now);
    this.until.set(accountId, Math.min(from + tookMs * REST, now + MAX_REST_MS));
  }

  /** Returns the milliseconds for which the work of an account rests from now; 0 while no other account is active. */
  restMs(accountId: string): number {
    const until = this.until.get(accountId);
    if (until === undefined) return 0;
    const restMs = this.areOthersActive(accountId) ? until - this.now() : 0;
    if (restMs <= 0) this.until.delete(accountId);
    return Math.max(0, restMs);
  }

  /** Returns the accounts whose work rests, each with the milliseconds from now. */
  listResting(): Map<string, number> {
    const resting = new Map<string, number>();
    for (const accountId of this.until.keys()) {
      const restMs = this.restMs(accountId);
      if (restMs > 0) resting.set(accountId, restMs);
    }
    return resting;
  }

  private forget(now: number): void {
    for (const [accountId, until] of this.until) if (until <= now) this.until.delete(accountId);
  }
}
