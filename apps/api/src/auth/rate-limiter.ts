import { Inject, Injectable, type OnModuleDestroy, Optional } from '@nestjs/common';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { ApiConfig } from '../config.ts';
import { COUNTER_REDIS, type CounterRedis } from './redis.ts';

/** Seconds of a rate-limit window. */
export const WINDOW_SECONDS = 60;

/** Disables the limit of the counting library: every key has its own limit, which is checked here. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/**
 * Share of its limit up to which a key is admitted on the last known count; beyond it every call waits for the count.
 */
const TRUSTED_SHARE = 0.9;

/**
 * Milliseconds until admitted calls are counted in Redis: while keys have used little of their limits since their last
 * counts, and once one has used more than `SHORT_SHARE` of it.
 */
const COUNT_WITHIN_MS = { long: 100, short: 10 };

const SHORT_SHARE = 0.01;

/** The state of a key's window after a charge. */
export interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
}

interface Tally {
  /** Points used by all processes together, as of the last count. */
  used: number;
  windowEndsAt: number;
  /** Points admitted in this process and not yet counted. */
  uncounted: number;
}

/**
 * Counts the points of each key per minute: in Redis for all processes together, or locally while Redis is unreachable.
 * A key far from its limit does not wait for the count. Near it every call waits, so the limit is exact except for what
 * each other process has not counted yet: at most a hundredth of the limit, and what it admitted in the last 10 ms.
 */
@Injectable()
export class RateLimiter implements OnModuleDestroy {
  private readonly counter: RateLimiterRedis | RateLimiterMemory;
  private readonly tallies = new Map<string, Tally>();
  private timer: NodeJS.Timeout | undefined;
  /** When `timer` fires, as `Date.now()`; in the past while its counts are in flight. */
  private countsAt = 0;

  /** @param redis undefined for an installation without Redis, where each process counts alone */
  constructor(
    @Optional() @Inject(COUNTER_REDIS) private readonly redis: CounterRedis | undefined,
    private readonly config: ApiConfig,
  ) {
    const local = new RateLimiterMemory({ points: UNLIMITED, duration: WINDOW_SECONDS });
    this.counter = redis
      ? new RateLimiterRedis({
          storeClient: redis,
          keyPrefix: `${config.QUEUE_PREFIX}:rate`,
          points: UNLIMITED,
          duration: WINDOW_SECONDS,
          insuranceLimiter: local,
        })
      : local;
  }

  /**
   * Charges a key. A refused charge is refunded, so that one bulk over the limit does not use up the minute.
   */
  charge(caller: KeyHolder, points: number): Verdict | Promise<Verdict> {
    const limit = this.limitOf(caller);
    const tally = this.tallies.get(caller.keyId);
    const isTrusted =
      tally &&
      tally.windowEndsAt > Date.now() &&
      tally.used + tally.uncounted + points <= limit * TRUSTED_SHARE;
    if (!isTrusted) return this.chargeExactly(caller.keyId, points, limit);
    tally.uncounted += points;
    this.countWithin(tally.uncounted > limit * SHORT_SHARE ? COUNT_WITHIN_MS.short : COUNT_WITHIN_MS.long);
    return verdict(true, limit, tally.used + tally.uncounted, tally.windowEndsAt);
  }

  /** The points of a key per minute. */
  limitOf(caller: Pick<KeyHolder, 'rateLimitPerMinute'>): number {
    return caller.rateLimitPerMinute ?? this.config.RATE_LIMIT_PER_MINUTE;
  }

  /** Gives points back that were charged. */
  refund({ keyId }: KeyHolder, points: number): void {
    const tally = this.tallies.get(keyId);
    if (tally && tally.uncounted >= points) tally.uncounted -= points;
    else {
      if (tally) tally.used -= points;
      this.reward(keyId, points);
    }
  }

  onModuleDestroy(): void {
    clearTimeout(this.timer);
    this.redis?.disconnect();
  }

  /** While Redis is unreachable the points are lost until the window ends. */
  private reward(keyId: string, points: number): void {
    this.counter.reward(keyId, points).catch(() => undefined);
  }

  private async chargeExactly(keyId: string, points: number, limit: number): Promise<Verdict> {
    const { used, windowEndsAt } = await this.count(keyId, points);
    if (used <= limit) return verdict(true, limit, used, windowEndsAt);
    const tally = this.tallies.get(keyId);
    if (tally) tally.used -= points;
    this.reward(keyId, points);
    return verdict(false, limit, used - points, windowEndsAt);
  }

  private countWithin(ms: number): void {
    const countsAt = Date.now() + ms;
    if (this.timer && this.countsAt <= countsAt) return;
    clearTimeout(this.timer);
    this.countsAt = countsAt;
    this.timer = setTimeout(() => void this.countAll(), ms);
  }

  /** Counts the points admitted since the last count, and repeats while there are more. */
  private async countAll(): Promise<void> {
    const now = Date.now();
    for (const [keyId, { windowEndsAt, uncounted }] of this.tallies)
      if (windowEndsAt < now && uncounted === 0) this.tallies.delete(keyId);
    const counts = [...this.tallies]
      .filter(([, { uncounted }]) => uncounted > 0)
      .map(([keyId, tally]) => this.countAdmitted(keyId, tally));
    await Promise.all(counts);
    this.timer = undefined;
    if (counts.length > 0) this.countWithin(COUNT_WITHIN_MS.long);
  }

  private async countAdmitted(keyId: string, tally: Tally): Promise<void> {
    await this.count(keyId, tally.uncounted, tally.uncounted);
  }

  /**
   * Counts points, and reads what all processes together have used. Counts return in the order they were sent, so
   * admitted points count as used until their own count returns, and not twice.
   *
   * @param admitted points that the tally already includes
   * @returns points used when these were counted, plus those admitted since
   */
  private async count(
    keyId: string,
    points: number,
    admitted = 0,
  ): Promise<{ used: number; windowEndsAt: number }> {
    const { consumedPoints, msBeforeNext } = await this.counter.consume(keyId, points);
    const tally = this.tallies.get(keyId) ?? { used: 0, windowEndsAt: 0, uncounted: 0 };
    tally.used = consumedPoints;
    tally.windowEndsAt = Date.now() + msBeforeNext;
    tally.uncounted -= admitted;
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
