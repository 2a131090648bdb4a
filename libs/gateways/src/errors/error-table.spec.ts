import { expect, test } from '@jest/globals';
import { errCodeOf, withOverrides } from './error-table.ts';
import { ERROR_TABLES } from './error-tables.ts';

test.each([
  ['1', '001'],
  ['001', '001'],
  [' 0001 ', '001'],
  [1, '001'],
  ['ec_blocked', '002'],
  ['000', '099'],
  ['77', '099'],
  ['', '099'],
  [null, '099'],
  [undefined, '099'],
] as const)('the raw code %j is %s', (raw, code) => {
  expect(errCodeOf({ '01': '001', EC_Blocked: '002' }, raw)).toBe(code);
});

test('one raw code has a meaning per gateway', () => {
  expect(errCodeOf(ERROR_TABLES.twilio, '001')).toBe('001');
  expect(errCodeOf(ERROR_TABLES.map, '001')).toBe('003');
});

test('an override replaces an entry that is spelled differently', () => {
  const table = withOverrides(ERROR_TABLES.map, { '006': '011', X1: '008' });

  expect(['6', '27', 'x1', 'constructor'].map((raw) => errCodeOf(table, raw))).toEqual([
    '011',
    '001',
    '008',
    '099',
  ]);
});
