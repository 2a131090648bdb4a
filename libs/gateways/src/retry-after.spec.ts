import { expect, test } from '@jest/globals';
import { parseRetryAfter } from './retry-after.ts';

const NOW = Date.parse('2026-11-20T23:10:05Z');

test.each([
  ['0', 0],
  ['3600', 3600],
  [' 120 ', 120],
  ['99999999999999999999', 86_400],
  ['Fri, 20 Nov 2026 23:11:05 GMT', 60],
  ['Friday, 20-Nov-26 23:11:05 GMT', 60],
  ['Fri Nov 20 23:11:05 2026 GMT', 60],
  ['Fri, 20 Nov 2026 23:00:00 GMT', 0],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  ['Fri, 31 Dec 9999', 86_400],
])('%j means %d seconds', (header, seconds) => {
  expect(parseRetryAfter(header, NOW)).toBe(seconds);
});

test.each([
  undefined,
  '',
  '-1',
  '+5',
  '1.5',
  '1e3',
  'abc',
  'abc 5',
  'soon',
  'Fri, 99 Foo 2026',
  '2026-11-21',
  '9'.repeat(30),
])('%j is ignored', (header) => {
  expect(parseRetryAfter(header, NOW)).toBeUndefined();
});
