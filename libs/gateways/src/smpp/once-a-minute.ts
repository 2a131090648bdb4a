import type { Clock } from './clock.ts';

const EVERY_MS = 60_000;
const MAX_KEYS = 1_000;

/** Says when a line may be logged again: once a minute for each key. */
export class OnceAMinute {
  private readonly loggedAt = new Map<number | string, number>();

  constructor(private readonly clock: Clock) {}

  /** Is true for the first call of a key, and for the first one a minute after the last true one. */
  isDue(key: number | string): boolean {
    const now = this.clock.now();
    if (now - (this.loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return false;
    if (this.loggedAt.size < MAX_KEYS) this.loggedAt.set(key, now);
    return true;
  }
}
