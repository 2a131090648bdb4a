import { expect, test } from '@jest/globals';
import { relativeTime, shortTime } from './time-text.ts';

const HOUR_MS = 3_600_000;
const at = (text: string): number => new Date(text).getTime(); // in the zone of this process

test.each([
  ['2026-11-30T10:00', '2026-12-02T09:00', 'in 2 days'],
  ['2026-11-30T10:00', '2026-12-01T11:00', 'tomorrow'],
  ['2026-11-30T10:00', '2026-11-28T11:00', '2 days ago'],
  ['2026-11-30T10:00', '2026-11-29T09:00', 'yesterday'],
])('seen at %s, %s is %s', (now, then, text) => {
  expect(relativeTime(at(then), at(now))).toBe(text);
});

test('within 24 hours a time is relative to now, across midnight too', () => {
  const now = at('2026-11-30T20:00');
  expect(relativeTime(now + 13 * HOUR_MS, now)).toBe('in 13 hr.');
});

test('a short time has its date from the next day on, and its year in another one', () => {
  const then = new Date('2026-12-31T23:50');
  expect(shortTime(then, new Date('2026-12-31T23:59'))).not.toMatch(/Dec/);
  expect(shortTime(new Date('2026-11-29T10:00'), then)).toMatch(/Nov/);
  expect(shortTime(new Date('2026-11-29T10:00'), then)).not.toMatch(/2026/);
  expect(shortTime(then, new Date('2027-01-01T00:01'))).toMatch(/Dec.*2026/);
});
