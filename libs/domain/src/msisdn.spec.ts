import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { guessMsisdn, maskMsisdn, maskNumbers, parseMsisdn } from './msisdn.ts';

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

test.each([
  ['to 919800000001, and 14155550100.', 'to ********0001, and *******0100.'],
  ['+91 98765-43210 +1 (415) 555.0100', '+********3210 +*******0100'],
  ['%2B919800000001%20919800000002', '%2B********0001%20********0002'],
  ['1234567 123456', '***4567 123456'],
  [String.raw`{"error":"refused\n919800000001\r\n"}`, String.raw`{"error":"refused\n********0001\r\n"}`],
  [
    'to919800000001 919800000001x key_919800000001 no-919800000001',
    'to********0001 ********0001x key_********0001 no-********0001',
  ],
  ['919800000001@s.whatsapp.net', '********0001@s.whatsapp.net'],
])('the numbers of %j are masked', (text, masked) => {
  expect(maskNumbers(text)).toBe(masked);
});

test.each([
  '12345678-1234-1234-1234-123456789012:17',
  String.raw`"\n12345678-1234-7234-8234-123456789012"`,
  '019e6f0d-1a77-7c3e-8f21-123456789012',
  '2026-11-22T10:00:00.123Z',
  '1234567890123456789',
  '0123456789abcdef0123456789abcdef',
  '1234567ab',
  'SM0123456789abcdef0123456789abcdef',
  'wamid.HBgMOTE5ODAwMDAwMDAx',
])('the id or time %j stays', (text) => {
  expect(maskNumbers(text)).toBe(text);
});

test('a number among other characters is masked wherever it stands', () => {
  const around = fc.stringMatching(/^(?:[ ,;:"'(<=/]|%2B|\\n|\+)?$/);
  fc.assert(
    fc.property(around, digits, around, (before, number, after) => {
      expect(maskNumbers(`${before}${number}${after}`)).toBe(`${before}${maskMsisdn(number)}${after}`);
    }),
  );
});

test('a long text without digits takes no longer than its length', () => {
  const text = 'a'.repeat(1_000_000);
  expect(maskNumbers(text)).toBe(text);
});
