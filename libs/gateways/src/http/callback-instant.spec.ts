import { expect, test } from '@jest/globals';
import { parseCallbackInstant } from './callback-instant.ts';

test.each([
  ['1795341600', '2026-11-22T10:00:00.000Z'],
  ['1795341600000', '2026-11-22T10:00:00.000Z'],
  ['2026-11-22 10:00', '2026-11-22T10:00:00.000Z'],
  ['2026-11-22T10:00:00+0530', '2026-11-22T04:30:00.000Z'],
  ['Sun, 22 Nov 2026 10:00:00 +0000', '2026-11-22T10:00:00.000Z'],
])('the time %s is %s', (text, expected) => {
  expect(parseCallbackInstant(text)?.toISOString()).toBe(expected);
});

test.each(['', 'now', '179534160', '2026-13-40 10:00:00', 'Sun, 99 Abc 2026 99:99:99 +0000'])(
  '%j is no time',
  (text) => {
    expect(parseCallbackInstant(text)).toBeUndefined();
  },
);
