import { expect, test } from '@jest/globals';
import { parseInstant } from './instant.ts';

test.each([
  ['2026-11-20T09:00:00Z', '2026-11-20T09:00:00.000Z'],
  ['2026-11-20T09:00:00+05:30', '2026-11-20T03:30:00.000Z'],
  ['2026-11-20T09:00-08:00', '2026-11-20T17:00:00.000Z'],
  ['2028-02-29T23:59:59.123456Z', '2028-02-29T23:59:59.123Z'],
])('%s is %s', (text, instant) => {
  expect(parseInstant(text)?.toISOString()).toBe(instant);
});

test.each([
  '',
  '2026-11-20',
  '2026-11-20T09:00:00',
  '2026-11-20 09:00:00Z',
  '2026-11-20T09:00:00z',
  '2026-02-30T09:00:00Z',
  '2026-13-01T09:00:00Z',
  '2026-11-20T24:00:00Z',
  '2026-11-20T09:60:00Z',
  '2026-11-20T09:00:00+25:00',
  '+012026-11-20T09:00:00Z',
  '1795000000000',
  'tomorrow',
  '2026-11-20T09:00:00Z ',
])('%p is no point in time', (text) => {
  expect(parseInstant(text)).toBeUndefined();
});
