import { expect, test } from '@jest/globals';
import { TokenBucket } from './token-bucket.ts';

test('no period allows more than the rate and one burst', () => {
  const t = setup(10);
  let taken = 0;
  for (let tick = 0; tick < 1_000; tick += 1) {
    taken += t.takeAll();
    t.clock.ms += 10;
  }
  expect(taken).toBeGreaterThanOrEqual(100);
  expect(taken).toBeLessThanOrEqual(105);
});

test('a pause is followed by one burst at most', () => {
  const t = setup(10);
  t.takeAll();
  t.clock.ms += 60_000;
  expect([t.takeAll(), t.takeAll()]).toEqual([5, 0]);
});

test('a rate below one per second allows one now and then', () => {
  const t = setup(0.25);
  expect(t.takeAll()).toBe(1);
  expect(t.bucket.waitMs(1)).toBe(4_000);
  t.clock.ms += 4_000;
  expect(t.takeAll()).toBe(1);
});

test('a kept share of the bucket stays available to others', () => {
  const t = setup(20);
  t.bucket.take(t.bucket.available(0.5));
  expect([t.bucket.available(0.5), t.bucket.available()]).toEqual([0, 5]);
  expect(t.bucket.waitMs(1, 0.5)).toBeLessThanOrEqual(50);
});

test('a token may be borrowed while none is owed', () => {
  const t = setup(10);
  t.bucket.take(4.5);
  expect([t.bucket.available(), t.bucket.availableOnLoan(), t.bucket.availableOnLoan(0.5)]).toEqual([
    0, 1, 0,
  ]);
  t.bucket.take(1);
  expect(t.bucket.availableOnLoan()).toBe(0);
});

test('tokens taken beyond the balance are owed', () => {
  const t = setup(10);
  t.bucket.take(15);
  expect(t.bucket.waitMs(1)).toBe(1_100);
});

test('work that did not ask first leaves a debt of one bucket at most', () => {
  const t = setup(10);
  t.bucket.owe(7);
  expect(t.bucket.waitMs(1)).toBe(300);
  t.bucket.owe(1_000);
  expect(t.bucket.waitMs(1)).toBe(600);
  t.bucket.take(10);
  t.bucket.owe(1);
  expect(t.bucket.waitMs(1)).toBe(1_600);
});

test('a wait for more than the capacity ends when the bucket is full', () => {
  const t = setup(10);
  t.bucket.take(5);
  t.clock.ms += t.bucket.waitMs(1_000);
  expect(t.bucket.available()).toBe(5);
});

function setup(rate: number) {
  const clock = { ms: 0 };
  const bucket = new TokenBucket(
    () => rate,
    () => clock.ms,
  );
  const takeAll = (): number => {
    const count = bucket.available();
    bucket.take(count);
    return count;
  };
  return { clock, bucket, takeAll };
}
