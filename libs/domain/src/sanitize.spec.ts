import { expect, test } from '@jest/globals';
import { clampDelayMs, clampInstant, toStorableText } from './sanitize.ts';

test('text loses only what Postgres refuses, and all beyond 4,096 characters', () => {
  expect(toStorableText('a\u0000b \ud800 c 👍')).toBe('ab \ufffd c 👍');
  expect(toStorableText('x'.repeat(5_000))).toHaveLength(4_096);
});

test('a value that is no text becomes one', () => {
  expect([5, undefined, null, true].map(toStorableText)).toEqual(['5', '', '', 'true']);
});

test.each([
  [1.5, 2],
  [-1, 0],
  [Number.NaN, 1_000],
  ['5' as unknown as number, 1_000],
  [Number.POSITIVE_INFINITY, 86_400_000],
  [2 ** 40, 86_400_000],
])('a delay of %p ms is stored as %p ms', (given, stored) => {
  expect(clampDelayMs(given)).toBe(stored);
});

test.each(['nonsense', '1999-12-31T23:59:59Z', '2026-11-23T10:00:01Z', '+100000-01-01T00:00:00Z'])(
  'the implausible time %s becomes the current time',
  (text) => {
    const now = new Date('2026-11-22T10:00:00Z');
    expect(clampInstant(new Date(text), now)).toBe(now);
  },
);

test('times a few hours ahead and from last year are kept', () => {
  const now = new Date('2026-11-22T10:00:00Z');
  const times = [new Date('2026-11-22T14:00:00Z'), new Date('2025-01-01T00:00:00Z')];
  expect(times.map((time) => clampInstant(time, now))).toEqual(times);
});
