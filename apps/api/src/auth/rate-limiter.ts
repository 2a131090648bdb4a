import type { KeyHolder } from '@signalbox/database/api-keys';
import { GroupCommit } from '@signalbox/runtime/group-commit';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';

/** The length of a rate-limit window. */
export const WINDOW_SECONDS = 60;

/** The limiter only counts; who is over the limit is decided here, since every key has its own. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

interface Charge {
  keyId: string;
  points: number;
  limit: number;
}

/** Where a key stands in its window after a charge. */
export interface Verdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/**
 * Counts what each key does in a minute: in Redis for all pods together, or in this process while there is no Redis.
 * Charges that arrive while the last ones are being counted go to Redis together, one command per key.
 */
export class RateLimiter {
  private readonly counter: RateLimiterRedis | RateLimiterMemory;
  private readonly charges: GroupCommit<Charge, Verdict>;

  /** @param redis undefined when the installation has none: each pod then counts for itself */
  constructor(
    private readonly redis: Redis | undefined,
    prefix: string,
    private readonly defaultLimit: number,
  ) {
    const local = new RateLimiterMemory({ points: UNLIMITED, duration: WINDOW_SECONDS });
    this.counter = redis
      ? new RateLimiterRedis({ storeClient: redis, keyPrefix: `${prefix}:rate`, points: UNLIMITED, duration: WINDOW_SECONDS, insuranceLimiter: local })
      : local;
    this.charges = new GroupCommit((charges) => this.count(charges), { maxBatch: 1_000, maxWaiting: 20_000 });
  }

  /** Charges a key; what is refused is given back, so that one bulk over the limit does not use up the minute. */
  charge(caller: KeyHolder, points: number): Promise<Verdict> {
    return this.charges.add({ keyId: caller.keyId, points, limit: caller.rateLimitPerMinute ?? this.defaultLimit });
  }

  close(): void {
    this.redis?.disconnect();
  }

  private async count(charges: Charge[]): Promise<Verdict[]> {
    const verdicts = new Map<Charge, Verdict>();
    const byKey = Map.groupBy(charges, (charge) => charge.keyId);
    await Promise.all([...byKey].map(([keyId, ofKey]) => this.countKey(keyId, ofKey, verdicts)));
    return charges.map((charge) => verdicts.get(charge)!);
  }

  private async countKey(keyId: string, charges: Charge[], verdicts: Map<Charge, Verdict>): Promise<void> {
    const total = charges.reduce((sum, charge) => sum + charge.points, 0);
    const { consumedPoints, msBeforeNext } = await this.counter.consume(keyId, total);
    let used = consumedPoints - total;
    let refused = 0;
    for (const charge of charges) {
      const allowed = used + charge.points <= charge.limit;
      if (allowed) used += charge.points;
      else refused += charge.points;
      verdicts.set(charge, {
        allowed,
        limit: charge.limit,
        remaining: Math.max(0, charge.limit - used),
        resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
      });
    }
    if (refused > 0) this.counter.reward(keyId, refused).catch(() => undefined); // lost while Redis is away: the window ends soon
  }
}

