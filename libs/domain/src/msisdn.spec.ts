import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { guessMsisdn, maskMsisdn, parseMsisdn } from './msisdn.ts';

const digits = fc.stringMatching(/^[1-9]\d{6,14}$/);

test('a number with and without a plus is parsed to the same digits', () => {
  fc.assert(
    fc.property(digits, (number) => {
      expect(parseMsisdn(number)).toBe(number);
      expect(parseMsisdn(`+${number}`)).toBe(number);
    }),
  );
});

test.each([
  '',
  '+',
  'abc',
  '123456',
  '1234567890123456',
  '0919999999999',
  '+0999999999',
  '++919999999999',
  '9199 99999999',
  '919999999999\n',
])('%j is not a number', (text) => {
  expect(parseMsisdn(text)).toBeUndefined();
});

test('digits of other scripts are refused', () => {
  expect(parseMsisdn('९१९८०००००००१')).toBeUndefined();
});

test('a masked number shows only its length and its last four digits', () => {
  expect(maskMsisdn('919800000001')).toBe('********0001');
  fc.assert(fc.property(digits, (number) => expect(maskMsisdn(number)).toMatch(/^\*+\d{4}$/)));
});

test.each([
  ['+91 98123-45678', '919812345678'],
  ['+44 (0) 20 7946 0018', '442079460018'],
  ['00919812345678', '919812345678'],
  ['(981) 234-5678', '9812345678'],
  ['tel:+919812345678', '919812345678'],
  ['+91\u00a098123\u201145678', '919812345678'],
  ['98123x', undefined],
  ['12', undefined],
  ['9'.repeat(41), undefined],
])('the digits meant by "%s" are %s', (text, meant) => {
  expect(guessMsisdn(text)).toBe(meant);
});
