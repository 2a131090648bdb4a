import { expect, test } from '@jest/globals';
import { ManualClock } from '../../test/manual-clock.ts';
import { Pace } from './pace.ts';

function setup(limit: number | null) {
  const clock = new ManualClock();
  const limits = { perSecond: limit };
  const pace = new Pace(clock, () => limits.perSecond);
  /** Sends as fast as the pace allows. */
  const sendFor = (seconds: number): number => {
    let sent = 0;
    for (let ms = 0; ms < seconds * 1000; ms += 1) {
      while (pace.take() === 0 && sent < 1e6) sent += 1;
      clock.advance(1);
    }
    return sent;
  };
  return { clock, limits, pace, sendFor };
}

test.each([1, 7, 100, 2_000])('no more than %d segments a second are sent', (rate) => {
  const { sendFor } = setup(rate);
  expect(sendFor(10)).toBeGreaterThanOrEqual(rate * 10 * 0.99 - 1);
  expect(sendFor(10)).toBeLessThanOrEqual(rate * 10 + 1);
});

test('take returns the time after which a segment may be sent', () => {
  const { pace, clock } = setup(4);
  expect(pace.take()).toBe(0);
  const waitMs = pace.take();
  expect(waitMs).toBe(250);
  clock.advance(waitMs - 1);
  expect(pace.take()).toBeGreaterThan(0);
  clock.advance(1);
  expect(pace.take()).toBe(0);
});

test('a PDU that the server splits counts with all of its segments', () => {
  const { pace, clock } = setup(4);
  expect(pace.take(8)).toBe(0);
  expect(pace.take()).toBe(2_000);
  clock.advance(1_999);
  expect(pace.take()).toBeGreaterThan(0);
  clock.advance(1);
  expect(pace.take()).toBe(0);
});

test('throttles multiply the rate by 0.7 at most once a second', () => {
  const { pace, clock } = setup(100);
  for (let i = 0; i < 10; i += 1) pace.slowDown();
  expect(pace.ratePerSecond).toBeCloseTo(70);
  clock.advance(999);
  pace.slowDown();
  expect(pace.ratePerSecond).toBeCloseTo(70 * 1.05, 0);
  clock.advance(1);
  pace.slowDown();
  expect(pace.ratePerSecond).toBeCloseTo(70 * 1.05 * 0.7, 0);
});

test('the rate grows by 5 % a second up to its limit', () => {
  const { pace, clock } = setup(100);
  pace.slowDown();
  clock.advance(2_000);
  pace.take();
  expect(pace.ratePerSecond).toBeCloseTo(70 * 1.05 ** 2);
  expect(pace.isReduced).toBe(true);
  clock.advance(60_000);
  pace.take();
  expect(pace.ratePerSecond).toBe(100);
  expect(pace.isReduced).toBe(false);
});

test('nothing is sent for a moment after a throttle', () => {
  const { pace, clock } = setup(1_000);
  pace.slowDown();
  expect(pace.take()).toBe(200);
  clock.advance(200);
  expect(pace.take()).toBe(0);
});

test('an hour of throttles leaves a pace that still probes', () => {
  const { pace, clock } = setup(1_000);
  for (let second = 0; second < 3_600; second += 1) {
    pace.slowDown();
    clock.advance(1_000);
  }
  expect(pace.ratePerSecond).toBeGreaterThanOrEqual(0.5);
  expect(pace.ratePerSecond).toBeLessThan(1);
});

test('without a limit the first throttle leaves 0.7 of what was sent', () => {
  const { pace, sendFor, clock } = setup(null);
  expect(pace.ratePerSecond).toBeNull();
  for (let i = 0; i < 200; i += 1) {
    expect(pace.take()).toBe(0);
    clock.advance(5);
  }
  pace.slowDown();
  expect(pace.ratePerSecond).toBeCloseTo(140);
  expect(sendFor(1)).toBeLessThan(150);
});

test('a limit that becomes lower applies immediately', () => {
  const { limits, sendFor } = setup(100);
  limits.perSecond = 10;
  expect(sendFor(2)).toBeLessThanOrEqual(26);
});
