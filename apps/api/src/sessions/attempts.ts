import { hash } from 'node:crypto';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiConfig } from '../config.ts';
import { COUNTER_REDIS, type CounterRedis } from '../auth/redis.ts';
import { ApiError } from '../errors/api-error.ts';
import { networkOf } from '../http/client-network.ts';

/** Attempts per window of seconds. Counted before the attempt is judged, so that concurrent ones count as well. */
const LIMITS = {
  /** Of one user from one address. */
  pair: { points: 5, duration: 60 },
  /** Of one address, whoever it names. */
  address: { points: 30, duration: 60 },
  /** Of one user from all addresses. */
  user: { points: 50, duration: 60 },
  /** Of codes of the second factor of one user. */
  code: { points: 20, duration: 3_600 },
  /** Of such codes in a day: someone who knows the password needs years to hit one of the codes in force. */
  codeDay: { points: 60, duration: 86_400 },
} as const;

type Kind = keyof typeof LIMITS;

/** Counts attempts to sign in: in Redis for all processes together, or in this process while Redis is unreachable. */
@Injectable()
export class Attempts {
  private readonly limiters: Record<Kind, RateLimiterRedis | RateLimiterMemory>;

  constructor(
    @Optional() @Inject(COUNTER_REDIS) redis: CounterRedis | undefined,
    { QUEUE_PREFIX: prefix }: ApiConfig,
  ) {
    const open = (kind: Kind) => openLimiter(redis, `${prefix}:sign-in:${kind}`, LIMITS[kind]);
    this.limiters = {
      pair: open('pair'),
      address: open('address'),
      user: open('user'),
      code: open('code'),
      codeDay: open('codeDay'),
    };
  }

  /**
   * Counts an attempt with a password.
   *
   * @returns takes the attempt back, for one that was right @throws ApiError rate_limited
   */
  async countPassword(user: string, address: string): Promise<() => Promise<void>> {
    const [who, where] = [digestOf(user), networkOf(address)];
    const keys: [Kind, string][] = [
      ['address', where], // first: an address beyond its limit adds no counters of other users
      ['pair', `${who}:${where}`],
      ['user', who],
    ];
    return this.countAll(keys);
  }

  /** Counts an attempt with a sign-in link. @returns as `countPassword` @throws ApiError rate_limited */
  countLink(address: string): Promise<() => Promise<void>> {
    return this.countAll([['address', networkOf(address)]]);
  }

  /** Counts an attempt with a code of the second factor. @returns as `countPassword` @throws ApiError rate_limited */
  countCode(userId: string): Promise<() => Promise<void>> {
    return this.countAll([
      ['code', userId],
      ['codeDay', userId],
    ]);
  }

  private async countAll(keys: [Kind, string][]): Promise<() => Promise<void>> {
    for (const [kind, key] of keys) await this.count(kind, key);
    return async () => {
      for (const [kind, key] of keys) await this.limiters[kind].reward(key, 1).catch(() => undefined);
    };
  }

  private async count(kind: Kind, key: string): Promise<void> {
    try {
      await this.limiters[kind].consume(key, 1);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const retryAfterSeconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1_000));
      const message = `Too many attempts to sign in; try again in ${retryAfterSeconds} s.`;
      throw new ApiError('rate_limited', message, { retryAfterSeconds });
    }
  }
}

function openLimiter(
  redis: CounterRedis | undefined,
  keyPrefix: string,
  limit: { points: number; duration: number },
): RateLimiterRedis | RateLimiterMemory {
  const local = new RateLimiterMemory({ keyPrefix, ...limit });
  return redis
    ? new RateLimiterRedis({ storeClient: redis, keyPrefix, insuranceLimiter: local, ...limit })
    : local;
}

/** Keeps e-mail addresses out of Redis. */
function digestOf(user: string): string {
  return hash('sha256', user, 'base64url');
}
