import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import { testWithRedis } from '@signalbox/test/redis';
import { createLogger } from '@signalbox/runtime/logger';
import { RateLimiter } from './rate-limiter.ts';
import { ApiConfig } from '../config.ts';
import { openCounters } from './redis.ts';

const LIMIT = 10;

function caller(keyId = randomUUID(), rateLimitPerMinute: number | null = null): KeyHolder {
  return {
    hash: Buffer.alloc(0),
    keyId,
    keyName: 'key',
    accountId: '',
    accountStatus: 'active',
    scopes: [],
    rateLimitPerMinute,
    isTest: false,
    isPaced: false,
  };
}

async function setup(redisUrl?: string): Promise<RateLimiter & Disposable> {
  const redis = redisUrl ? openCounters(redisUrl, createLogger('test', 'silent')) : undefined;
  if (redis) await once(redis, 'ready');
  const config = Object.assign(new ApiConfig(), {
    QUEUE_PREFIX: `test-${randomUUID()}`,
    RATE_LIMIT_PER_MINUTE: LIMIT,
  });
  const limiter = new RateLimiter(redis, config);
  return Object.assign(limiter, { [Symbol.dispose]: () => limiter.onModuleDestroy() });
}

test('concurrent charges are allowed up to the limit, each by the use before it', async () => {
  using limiter = await setup();
  const key = caller();

  const verdicts = await Promise.all(Array.from({ length: 30 }, async () => limiter.charge(key, 1)));

  expect(verdicts.map(({ allowed }) => allowed)).toEqual(Array.from({ length: 30 }, (_, i) => i < LIMIT));
});

test('a refused charge is returned, and the remainder stays usable', async () => {
  using limiter = await setup();
  const key = caller();

  expect((await limiter.charge(key, 7)).remaining).toBe(3);
  expect(await limiter.charge(key, 4)).toMatchObject({ allowed: false, remaining: 3 });
  expect(await limiter.charge(key, 3)).toMatchObject({ allowed: true, remaining: 0 });
});

test('each key is counted separately, by its own limit if it has one', async () => {
  using limiter = await setup();
  await limiter.charge(caller(), LIMIT);

  expect(await limiter.charge(caller(), 1)).toMatchObject({ limit: LIMIT, remaining: LIMIT - 1 });
  expect(await limiter.charge(caller(randomUUID(), 100), 60)).toMatchObject({
    allowed: true,
    limit: 100,
    remaining: 40,
  });
});

test('calls are counted within 100 ms, and within 10 ms after a hundredth of the limit', async () => {
  using limiter = await setup();
  const key = caller(randomUUID(), 1_000);
  await limiter.charge(key, 1);
  const counted = async (): Promise<number | undefined> =>
    (await limiter['counter'].get(key.keyId))?.consumedPoints;
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
  try {
    await limiter.charge(key, 4);
    jest.advanceTimersByTime(99);
    expect(await counted()).toBe(1);
    jest.advanceTimersByTime(1);
    expect(await counted()).toBe(5);

    await setImmediate();
    await limiter.charge(key, 4);
    await limiter.charge(key, 7);
    jest.advanceTimersByTime(10);
    expect(await counted()).toBe(16);
  } finally {
    jest.useRealTimers();
  }
});

testWithRedis('no charge slips through while earlier ones are being counted', async () => {
  using limiter = await setup(process.env['TEST_REDIS_URL']);
  const spend = async (): Promise<number> => {
    const key = caller();
    let allowed = 0;
    for (let i = 0; i < 20; i += 1) {
      const points = [1, 3, 6][i % 3] ?? 1;
      if ((await limiter.charge(key, points)).allowed) allowed += points;
      await setImmediate();
    }
    return allowed;
  };

  const spent = await Promise.all(Array.from({ length: 20 }, spend));

  expect(new Set(spent)).toEqual(new Set([LIMIT]));
});
