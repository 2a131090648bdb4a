const FIRST_MS = 1_000;
const MAX_MS = 60_000;
/** Delay after a refused login: only a person can change it. */
const REFUSED_MS = 60_000;
/** Delay while the server still counts a session that has died. */
const STALE_MS = 10_000;
/** A session of this length was a good one: the next failure starts over. */
const GOOD_MS = 3_000;

/** The end of an attempt to bind, or of the session that it led to. */
export interface AttemptEnd {
  /** A sentence without its full stop. */
  reason: string;
  /** `refused`: the login is wrong; `stale`: already bound. */
  kind: 'failed' | 'refused' | 'stale';
  /** The time for which it was bound. */
  boundMs: number;
}

/** Delays between attempts: 1 s to 60 s, doubling, each up to half longer by chance. */
export class Backoff {
  private delayMs = FIRST_MS;

  /** @param random returns 0 to 1, as Math.random */
  constructor(private readonly random: () => number) {}

  /** Returns the delay before the next attempt. */
  next({ kind, boundMs }: AttemptEnd): number {
    if (boundMs >= GOOD_MS) this.delayMs = FIRST_MS;
    const jitter = 1 + this.random() / 2;
    if (kind === 'refused') return REFUSED_MS * jitter;
    if (kind === 'stale') return STALE_MS * jitter;
    const delayMs = this.delayMs * jitter;
    this.delayMs = Math.min(MAX_MS, this.delayMs * 2);
    return Math.min(MAX_MS, delayMs);
  }
}
