import { expect, test } from '@jest/globals';
import { PushShares, type Room } from './push-shares.ts';

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

test('endpoints of one account get half of the room', () => {
  const shares = new PushShares(100);

  expect(sumOf(shares.fit(rooms('a', 10, 200)))).toBe(50);
});

test('endpoints of an account at its share get nothing, those of another get its share', () => {
  const shares = new PushShares(90);
  shares.take('a', 45);

  const fitted = shares.fit([...rooms('a', 3, 20), ...rooms('b', 3, 20)]);

  expect(fitted.every(({ accountId }) => accountId === 'b')).toBe(true);
  expect(sumOf(fitted)).toBe(30);
});

test('an account without a push in progress gets room for one though all is taken', () => {
  const shares = new PushShares(10);
  shares.take('a', 10);

  expect(sumOf(shares.fit(rooms('b', 3, 20)))).toBe(1);
});

test('room that is free again can be taken', () => {
  const shares = new PushShares(10);
  shares.take('a', 5);
  for (let i = 0; i < 5; i += 1) shares.free('a', 1);

  expect(sumOf(shares.fit(rooms('a', 1, 20)))).toBe(5);
});

test('endpoints beyond the share of their account get nothing in this pass', () => {
  const fitted = new PushShares(8).fit(rooms('a', 20, 200));

  expect(fitted.map(({ room }) => room)).toEqual([1, 1, 1, 1]);
});

/** Takes what an account may have, at most `count`, one by one. */
function fill(shares: PushShares, account: string, count: number): void {
  for (let i = 0; i < count && shares.room(account) > 0; i += 1) shares.take(account, 1);
}

function rooms(accountId: string, count: number, room: number): Room[] {
  return Array.from({ length: count }, (_, i) => ({ webhookId: `${accountId} ${i}`, accountId, room }));
}

function sumOf(fitted: Room[]): number {
  return fitted.reduce((sum, { room }) => sum + room, 0);
}
