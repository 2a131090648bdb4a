import { expect, test } from '@jest/globals';
import { timesOf } from './chart-times.ts';

const rowsAt = (...times: string[]) => times.map((at) => ({ at, values: {} }));

test('days of a zone are named as that zone has them, without a time of day', () => {
  const midnights = rowsAt('2026-11-28T18:30:00Z', '2026-11-29T18:30:00Z');
  const { label, row } = timesOf(midnights, 'Asia/Kolkata');
  expect(label.format(Date.parse(midnights[0]!.at))).toBe('Nov 29');
  expect(row.format(Date.parse(midnights[0]!.at))).toBe('Nov 29, 2026');
});

test('a day of 23 hours is a day', () => {
  const { row } = timesOf(rowsAt('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'), 'Europe/Berlin');
  expect(row.format(Date.parse('2026-03-28T23:00:00Z'))).toBe('Mar 29, 2026');
});

test('hours have their time of day', () => {
  const { label, row } = timesOf(rowsAt('2026-11-29T09:00:00Z', '2026-11-29T10:00:00Z'), 'UTC');
  expect(label.format(Date.parse('2026-11-29T09:00:00Z'))).toBe('9:00 AM');
  expect(row.format(Date.parse('2026-11-29T09:00:00Z'))).toMatch(/Nov 29, 2026, 9:00/);
});
