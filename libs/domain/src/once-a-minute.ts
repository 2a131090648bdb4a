const EVERY_MS = 60_000;
const MAX_KEYS = 1_000;

/** Says when a line may be logged again: once a minute for each of the first 1,000 keys. */
export class OnceAMinute {
  private readonly loggedAt = new Map<number | string, number>();

  /** @param now milliseconds of a clock that never steps */
  constructor(private readonly now: () => number) {}

  /** Is true for the first call of a key, and for the first one a minute after the last true one. */
  isDue(key: number | string): boolean {
    const now = this.now();
    const loggedAt = this.loggedAt.get(key);
    if (loggedAt !== undefined && now - loggedAt < EVERY_MS) return false;
    if (loggedAt !== undefined || this.loggedAt.size < MAX_KEYS) this.loggedAt.set(key, now);
    return true;
  }
}
