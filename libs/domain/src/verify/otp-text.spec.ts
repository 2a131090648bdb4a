import { expect, test } from '@jest/globals';
import { DEFAULT_OTP_TEXT, type OtpText, checkOtpText, otpSize, renderOtpText } from './otp-text.ts';

const otp = (given: Partial<OtpText> = {}): OtpText => ({
  text: DEFAULT_OTP_TEXT,
  ttlSeconds: 300,
  webOtpDomain: null,
  androidHash: null,
  ...given,
});

const broken = (given: Partial<OtpText>): string[] =>
  checkOtpText(otp(given), 6).map(({ field, rule }) => `${field} ${rule}`);

test('the code and the minutes, rounded up, are filled in', () => {
  expect(renderOtpText(otp(), '482913')).toBe(
    '482913 is your verification code. It expires in 5 minutes. Do not share it.',
  );
  expect(renderOtpText(otp({ text: '{{code}} {{code}} {{minutes}}', ttlSeconds: 61 }), '1')).toBe('1 1 2');
});

test('with a domain, the last line binds the code to it', () => {
  expect(
    renderOtpText(otp({ text: 'Code {{code}}', webOtpDomain: 'example.com' }), '482913')
      .split('\n')
      .at(-1),
  ).toBe('@example.com #482913');
});

test('with an Android hash, the last line is the hash', () => {
  expect(
    renderOtpText(otp({ text: 'Code {{code}}', androidHash: 'FA+9qCX9VSu' }), '482913')
      .split('\n')
      .at(-1),
  ).toBe('FA+9qCX9VSu');
});

test('the size includes the last line', () => {
  const text = `{{code}} ${'x'.repeat(150)}`;

  expect(otpSize(otp({ text }), 6)).toEqual({ encoding: 'GSM-7', parts: 1 });
  expect(otpSize(otp({ text, webOtpDomain: 'example.com' }), 6)).toEqual({ encoding: 'GSM-7', parts: 2 });
});

test.each<[string, Partial<OtpText>, string[]]>([
  ['a text without the code', { text: 'Hello' }, ['text required']],
  ['a placeholder with spaces', { text: '{{ code }}' }, ['text required']],
  ['an unknown placeholder', { text: '{{code}} {{name}}' }, ['text not_allowed_value']],
  [
    'a property of every object as a placeholder',
    { text: '{{code}} {{constructor}}' },
    ['text not_allowed_value'],
  ],
  ['a text of 11 parts', { text: `{{code}}${'x'.repeat(1_530)}` }, ['text max_length']],
  ['an address as a domain', { webOtpDomain: 'https://example.com' }, ['webOtpDomain invalid_format']],
  ['a domain with a line end', { webOtpDomain: 'example.com\n' }, ['webOtpDomain invalid_format']],
  ['an empty domain', { webOtpDomain: '' }, ['webOtpDomain invalid_format']],
  ['a hash that is too short', { androidHash: 'FA+9qCX9VS' }, ['androidHash invalid_format']],
  [
    'two last lines',
    { webOtpDomain: 'example.com', androidHash: 'FA+9qCX9VSu' },
    ['androidHash not_allowed_value'],
  ],
  ['nothing', {}, []],
])('the broken rules are listed for %s', (_name, given, expected) => {
  expect(broken(given)).toEqual(expected);
});

test.each([-1, 0, 4.5, 4_000_000_000, Number.NaN, '6' as unknown as number])(
  'the size is not checked for the invalid code length %p',
  (codeLength) => {
    expect(checkOtpText(otp({ text: 'Hello' }), codeLength).map(({ rule }) => rule)).toEqual(['required']);
  },
);
