import { expect, test } from '@jest/globals';
import { parseTimeZone } from './time-zone.ts';

test.each([
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['europe/kiev', 'Europe/Kyiv'],
  ['US/Eastern', 'America/New_York'],
  ['UTC', 'UTC'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  ['+05:30', undefined],
  ['Mars/Base', undefined],
  ["UTC'; --", undefined],
])('the zone %s is %s today', (given, name) => {
  expect(parseTimeZone(given)).toBe(name);
});

test('a long text that is no zone is refused immediately', () => {
  const startedAt = performance.now();

  expect(parseTimeZone(`A${'_'.repeat(44)}!`)).toBeUndefined();
  expect(performance.now() - startedAt).toBeLessThan(10_000); // with backtracking it takes minutes
});
