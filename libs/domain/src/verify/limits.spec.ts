import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  DAY_MS,
  DAY_OF_UTC,
  type QuotaUse,
  SLIDING_HOUR,
  lockWaitMs,
  quotaWaitMs,
  sendWaitMs,
  addUse,
} from './limits.ts';

const LIMITS = { resendAfterSeconds: 30, maxSendsPer10Minutes: 3, maxSendsPerDay: 10 };
const NOW = Date.UTC(2026, 10, 21);
const ago = (...seconds: number[]): number[] => seconds.map((each) => NOW - each * 1000);

test.each([
  ['nothing was sent', [], 0],
  ['a code was sent 10 s ago', [10], 20],
  ['a code was sent 30 s ago', [30], 0],
  ['three were sent in 10 minutes', [500, 100, 40], 100],
  ['three were sent, the first 10 minutes ago', [600, 100, 40], 0],
  [
    'ten were sent in a day',
    [80_000, 70_000, 60_000, 50_000, 40_000, 30_000, 20_000, 10_000, 5_000, 2_000],
    6_400,
  ],
])('when %s, the next code waits as long as its limits require', (_, seconds, wait) => {
  expect(sendWaitMs(LIMITS, ago(...seconds), NOW)).toBe(wait * 1000);
});

test('the twentieth wrong code locks a number until the first is a day old', () => {
  const wrong = Array.from({ length: 20 }, (_, i) => 2_000 - i * 100);

  expect(lockWaitMs(ago(...wrong.slice(1)), NOW)).toBe(0);
  expect(lockWaitMs(ago(...wrong), NOW)).toBe(DAY_MS - 2_000_000);
});

test('sends as early as allowed stay within every limit in every window', () => {
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

test('uses as early as allowed stay within the quota of every window', () => {
  const anyUses = fc.array(
    fc.record({ amount: fc.integer({ min: 1, max: 5 }), pauseMs: fc.integer({ min: 0, max: 1_800_000 }) }),
    {
      maxLength: 80,
    },
  );
  fc.assert(
    fc.property(
      anyUses,
      fc.integer({ min: 5, max: 20 }),
      fc.constantFrom(SLIDING_HOUR, DAY_OF_UTC),
      (wanted, limit, window) => {
        const used: QuotaUse[] = [];
        let kept: QuotaUse[] = [];
        let now = NOW + 12_345;
        for (const { amount, pauseMs } of wanted) {
          now += pauseMs;
          now += quotaWaitMs(kept, window, amount, limit, now);
          kept = addUse(kept, window, amount, now);
          used.push({ at: now, amount });
        }
        const total = (isIn: (at: number) => boolean): number =>
          used.reduce((sum, { at, amount }) => sum + (isIn(at) ? amount : 0), 0);
        const mostIn = (from: number): number =>
          window === SLIDING_HOUR
            ? total((at) => at >= from && at < from + 3_600_000)
            : total((at) => Math.floor(at / DAY_MS) === Math.floor(from / DAY_MS));
        return used.every(({ at }) => mostIn(at) <= limit) && kept.length <= 14;
      },
    ),
    { numRuns: 200 },
  );
});

test('an exhausted quota waits for its oldest uses or a new window', () => {
  const uses = [
    { at: NOW - 3_600_000, amount: 4 },
    { at: NOW - 600_000, amount: 6 },
  ];

  expect(quotaWaitMs(uses, SLIDING_HOUR, 1, 11, NOW)).toBe(0);
  expect(quotaWaitMs(uses, SLIDING_HOUR, 4, 10, NOW)).toBe(300_000);
  expect(quotaWaitMs(uses, SLIDING_HOUR, 5, 10, NOW)).toBe(3_300_000);
  expect(quotaWaitMs([], DAY_OF_UTC, 5, 4, NOW + 1_000)).toBe(DAY_MS - 1_000);
});
