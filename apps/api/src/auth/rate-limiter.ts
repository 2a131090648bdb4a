import type { OnModuleDestroy } from '@nestjs/common';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';

/** The length of a rate-limit window. */
export const WINDOW_SECONDS = 60;

/** The limiter only counts; who is over the limit is decided here, since every key has its own. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** A key that has used less than this share of its limit is let through on what is known; beyond it every call waits for the count. */
const TRUSTED_SHARE = 0.9;

/** How often what was let through is counted in Redis. */
const COUNT_EVERY_MS = 10;

/** Where a key stands in its window after a charge. */
export interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
}

interface Tally {
  /** As of the last count, of all pods together. */
  used: number;
  windowEndsAt: number;
  /** Let through here, and not known to be counted. */
  uncounted: number;
}

/**
 * Counts what each key does in a minute: in Redis for all pods together, or in this process while there is no Redis.
 * Far from its limit a key does not wait for the count; near it every call does, so the limit itself is exact but for what
 * other pods let through in the last few milliseconds.
 */
export class RateLimiter implements OnModuleDestroy {
  private readonly counter: RateLimiterRedis | RateLimiterMemory;
  private readonly tallies = new Map<string, Tally>();
  private timer: NodeJS.Timeout | undefined;

  /** @param redis undefined when the installation has none: each pod then counts for itself */
  constructor(
    private readonly redis: Redis | undefined,
    prefix: string,
    private readonly defaultLimit: number,
  ) {
    const local = new RateLimiterMemory({ points: UNLIMITED, duration: WINDOW_SECONDS });
    this.counter = redis
      ? new RateLimiterRedis({
          storeClient: redis,
          keyPrefix: `${prefix}:rate`,
          points: UNLIMITED,
          duration: WINDOW_SECONDS,
          insuranceLimiter: local,
        })
      : local;
  }

  /** Charges a key; what is refused is given back, so that one bulk over the limit does not use up the minute. */
  charge(caller: KeyHolder, points: number): Verdict | Promise<Verdict> {
    const limit = caller.rateLimitPerMinute ?? this.defaultLimit;
    const tally = this.tallies.get(caller.keyId);
    const isTrusted =
      tally &&
      tally.windowEndsAt > Date.now() &&
      tally.used + tally.uncounted + points <= limit * TRUSTED_SHARE;
    if (!isTrusted) return this.chargeExactly(caller.keyId, points, limit);
    tally.uncounted += points;
    this.timer ??= setTimeout(() => void this.countAll(), COUNT_EVERY_MS);
    return verdict(true, limit, tally.used + tally.uncounted, tally.windowEndsAt);
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
    this.redis?.disconnect();
  }

  private async chargeExactly(keyId: string, points: number, limit: number): Promise<Verdict> {
    const { used, windowEndsAt } = await this.count(keyId, points);
    if (used <= limit) return verdict(true, limit, used, windowEndsAt);
    const tally = this.tallies.get(keyId);
    if (tally) tally.used -= points;
    this.counter.reward(keyId, points).catch(() => undefined); // lost while Redis is away: the window ends soon
    return verdict(false, limit, used - points, windowEndsAt);
  }

  /** Counts what was let through since the last time, and again in a while as long as there is more. */
  private async countAll(): Promise<void> {
    const now = Date.now();
    for (const [keyId, { windowEndsAt, uncounted }] of this.tallies)
      if (windowEndsAt < now && uncounted === 0) this.tallies.delete(keyId);
    const counts = [...this.tallies]
      .filter(([, { uncounted }]) => uncounted > 0)
      .map(([keyId, tally]) => this.countLetThrough(keyId, tally));
    await Promise.all(counts);
    this.timer = counts.length === 0 ? undefined : setTimeout(() => void this.countAll(), COUNT_EVERY_MS);
  }

  private async countLetThrough(keyId: string, tally: Tally): Promise<void> {
    await this.count(keyId, tally.uncounted, tally.uncounted);
  }

  /**
   * Counts points, and learns what all pods together have used. Counts come back in the order in which they were sent, so
   * that what was let through is taken for used from here until its own count is back, and not once more.
   *
   * @param letThrough how many of the points are in the tally already
   * @returns what was used when these points were counted, whatever was counted since
   */
  private async count(
    keyId: string,
    points: number,
    letThrough = 0,
  ): Promise<{ used: number; windowEndsAt: number }> {
    const { consumedPoints, msBeforeNext } = await this.counter.consume(keyId, points);
    const tally = this.tallies.get(keyId) ?? { used: 0, windowEndsAt: 0, uncounted: 0 };
    tally.used = consumedPoints;
    tally.windowEndsAt = Date.now() + msBeforeNext;
    tally.uncounted -= letThrough;
    this.tallies.set(keyId, tally);
    return { used: tally.used + tally.uncounted, windowEndsAt: tally.windowEndsAt };
  }
}

function verdict(allowed: boolean, limit: number, used: number, windowEndsAt: number): Verdict {
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.max(1, Math.ceil((windowEndsAt - Date.now()) / 1000)),
  };
}
