import { expect, test } from '@jest/globals';
import type { RateLimiterMemory } from 'rate-limiter-flexible';
import { ApiConfig } from '../config.ts';
import { Attempts } from './attempts.ts';

test('an address beyond its limit adds no counters of users', async () => {
  const attempts = new Attempts(undefined, new ApiConfig());
  const users = Array.from({ length: 40 }, (_, i) => `user ${i}`);

  const counted = await Promise.allSettled(users.map((user) => attempts.countPassword(user, '203.0.113.1')));

  expect(counted.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
  expect(countersOf(attempts, 'pair')).toBe(30);
  expect(countersOf(attempts, 'user')).toBe(30);
});

/** The counters of a kind that this process keeps. */
function countersOf(attempts: Attempts, kind: 'pair' | 'user'): number {
  const limiter = attempts['limiters'][kind] as RateLimiterMemory;
  const { _storage: stored } = (limiter as unknown as { _memoryStorage: { _storage: object } })
    ._memoryStorage;
  return stored instanceof Map ? stored.size : Object.keys(stored).length;
}
