import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY_MS, lockWaitMs, sendWaitMs } from './verify-limits.ts';

const LIMITS = { resendAfterSeconds: 30, maxSendsPer10Minutes: 3, maxSendsPerDay: 10 };
const NOW = Date.UTC(2026, 10, 21);
const ago = (...seconds: number[]): number[] => seconds.map((each) => NOW - each * 1000);

test.each([
  ['nothing was sent', [], 0],
  ['a code was sent 10 s ago', [10], 20],
  ['a code was sent 30 s ago', [30], 0],
  ['three were sent in 10 minutes', [500, 100, 40], 100],
  ['three were sent, the first 10 minutes ago', [600, 100, 40], 0],
  ['ten were sent in a day', [80_000, 70_000, 60_000, 50_000, 40_000, 30_000, 20_000, 10_000, 5_000, 2_000], 6_400],
])('when %s, the next may be sent after so many seconds', (_, seconds, wait) => {
  expect(sendWaitMs(LIMITS, ago(...seconds), NOW)).toBe(wait * 1000);
});

test('the twentieth wrong code locks a number until the first of them is a day old', () => {
  const wrong = Array.from({ length: 20 }, (_, i) => 2_000 - i * 100);

  expect(lockWaitMs(ago(...wrong.slice(1)), NOW)).toBe(0);
  expect(lockWaitMs(ago(...wrong), NOW)).toBe(DAY_MS - 2_000_000);
});

test('whoever sends as soon as allowed stays within every limit in every window', () => {
  const anyLimits = fc.record({
    resendAfterSeconds: fc.integer({ min: 1, max: 3600 }),
    maxSendsPer10Minutes: fc.integer({ min: 1, max: 20 }),
    maxSendsPerDay: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(anyLimits, (limits) => {
      const sent: number[] = [];
      for (let now = NOW; sent.length < 60; now += sendWaitMs(limits, sent, now)) sent.push(now);
      const mostIn = (windowMs: number): number =>
        Math.max(...sent.map((from) => sent.filter((at) => at >= from && at < from + windowMs).length));
      return mostIn(600_000) <= limits.maxSendsPer10Minutes && mostIn(DAY_MS) <= limits.maxSendsPerDay;
    }),
    { numRuns: 50 },
  );
});
