/**
 * First pushes in progress in this process, shared between accounts. An account may take pushes until it has as many as
 * are then still free: its room is (free - own) / 2. It gets half of all when alone, a third when two are busy. So an
 * account with few always finds room, and a large one delays the others by a bounded time.
 */
export class PushShares {
  private readonly taken = new Map<string, number>();
  private readonly deferring = new Set<string>();
  private total = 0;

  /** @param max pushes of all accounts */
  constructor(private readonly max: number) {}

  /** Pushes that an account may begin now. */
  room(accountId: string): number {
    return Math.max(0, Math.floor((this.max - this.total - this.takenBy(accountId)) / 2));
  }

  /** Is true while an account has no push in progress, and there is room for one of another account. */
  isIdle(accountId: string): boolean {
    return this.takenBy(accountId) === 0 && this.total < this.max;
  }

  /** Adds pushes to those in progress. */
  take(accountId: string, count: number): void {
    if (count === 0) return;
    this.total += count;
    this.taken.set(accountId, this.takenBy(accountId) + count);
  }

  /** Removes pushes from those in progress. */
  free(accountId: string, count: number): void {
    if (count === 0) return;
    const left = this.takenBy(accountId) - count;
    this.total -= count;
    if (left > 0) this.taken.set(accountId, left);
    else this.taken.delete(accountId);
  }

  /** Is true while older reports of an account are deferred, so that later ones are deferred, too. */
  isDeferring(accountId: string): boolean {
    return this.deferring.has(accountId);
  }

  /** Notes that reports of an account are deferred. */
  markDeferring(accountId: string): void {
    this.deferring.add(accountId);
  }

  /** Returns the accounts with deferred reports. */
  listDeferring(): string[] {
    return [...this.deferring];
  }

  /** Notes that an account has no deferred reports left: a job pushes its next ones again. */
  unmarkDeferring(accountId: string): void {
    this.deferring.delete(accountId);
  }

  private takenBy(accountId: string): number {
    return this.taken.get(accountId) ?? 0;
  }
}
