import { expect, test } from '@jest/globals';
import { PushShares } from './push-shares.ts';

test('an account alone takes half, and leaves as much for the next', () => {
  const shares = new PushShares(100);

  fill(shares, 'a', 1_000);

  expect(shares.room('a')).toBe(0);
  expect(shares.room('b')).toBe(25);
});

test('accounts of any size come to equal shares, and one share stays free', () => {
  const shares = new PushShares(100);
  const accounts = ['a', 'b', 'c', 'd'];
  fill(shares, 'a', 1_000);

  for (let round = 0; round < 50; round += 1) {
    shares.free('a', 1);
    for (const account of accounts.toReversed()) fill(shares, account, 1);
  }

  shares.free('a', 0);
  for (const account of accounts) expect(shares.room(account)).toBeLessThanOrEqual(2);
  expect(shares.room('e')).toBeGreaterThan(0);
});

test('an account is idle until it takes something, while there is room at all', () => {
  const shares = new PushShares(10);
  expect(shares.isIdle('a')).toBe(true);

  shares.take('b', 10);
  expect(shares.isIdle('a')).toBe(false);

  shares.free('b', 1);
  expect(shares.isIdle('a')).toBe(true);
  expect(shares.isIdle('b')).toBe(false);
});

/** Takes what an account may have, at most `count`, one by one. */
function fill(shares: PushShares, account: string, count: number): void {
  for (let i = 0; i < count && shares.room(account) > 0; i += 1) shares.take(account, 1);
}
