import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nextPushDelayMs, PUSH_SCHEDULE_SECONDS } from './backoff.ts';

const attempts = fc.integer({ min: 1, max: 11 });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const DAY_MS = 86_400_000;

test('a push has twelve calls', () => {
  expect(PUSH_SCHEDULE_SECONDS).toHaveLength(12);
  expect(nextPushDelayMs(11, 0)).toBe(DAY_MS);
  expect(nextPushDelayMs(12, 0)).toBeUndefined();
  expect(nextPushDelayMs(12, 0, 3600)).toBeUndefined();
});

test('without jitter, the delays are those of the schedule', () => {
  const waits = PUSH_SCHEDULE_SECONDS.slice(1).map((_, i) => nextPushDelayMs(i + 1, 0)! / 1000);
  expect(waits).toEqual([5, 30, 120, 600, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
});

test('the schedule of a webhook decides the number and the delays of calls', () => {
  expect([1, 2, 3].map((made) => nextPushDelayMs(made, 0, 0, [1, 60]))).toEqual([1_000, 60_000, undefined]);
  expect(nextPushDelayMs(1, 0, 0, [])).toBeUndefined();
});

test('jitter adds up to 20 %', () => {
  fc.assert(
    fc.property(attempts, random, (made, jitter) => {
      const baseMs = PUSH_SCHEDULE_SECONDS[made]! * 1000;
      const delayMs = nextPushDelayMs(made, jitter)!;
      expect(delayMs).toBeGreaterThanOrEqual(baseMs);
      expect(delayMs).toBeLessThanOrEqual(baseMs * 1.2);
      expect(Number.isInteger(delayMs)).toBe(true);
    }),
  );
});

test('a longer delay that the receiver asks for is honoured, up to 24 hours', () => {
  fc.assert(
    fc.property(attempts, random, fc.integer({ min: -10, max: 1_000_000_000 }), (made, jitter, asked) => {
      const scheduledMs = nextPushDelayMs(made, jitter)!;
      const delayMs = nextPushDelayMs(made, jitter, asked)!;
      expect(delayMs).toBeGreaterThanOrEqual(scheduledMs);
      expect(delayMs).toBeGreaterThanOrEqual(Math.min(asked * 1000, DAY_MS));
      expect(delayMs).toBeLessThanOrEqual(Math.max(scheduledMs, DAY_MS));
    }),
  );
  expect(nextPushDelayMs(1, 0, 3600)).toBe(3_600_000);
});
