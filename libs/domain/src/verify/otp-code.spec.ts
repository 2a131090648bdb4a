import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { blindMac, newOtpCode, otpMac } from './otp-code.ts';

const PEPPER = randomBytes(32).toString('base64');

test('a code has its length and alphabet, without characters that look alike', () => {
  const numeric = Array.from({ length: 500 }, () => newOtpCode(6, 'numeric'));
  const mixed = Array.from({ length: 500 }, () => newOtpCode(10, 'alphanumeric')).join('');

  expect(numeric.every((code) => /^\d{6}$/.test(code))).toBe(true);
  expect(mixed).toMatch(/^[2-9A-HJKMNP-Z]{5000}$/);
  expect(new Set(mixed).size).toBe(31);
});

test('all digits are equally likely', () => {
  const digits = Array.from({ length: 5_000 }, () => newOtpCode(10, 'numeric')).join('');
  const counts = Array.from({ length: 10 }, (_, digit) => digits.split(String(digit)).length - 1);

  const deviations = counts.map((count) => Math.abs(count - 5_000));
  expect(Math.max(...deviations)).toBeLessThan(500); // more than 7 standard deviations
});

test('codes do not repeat', () => {
  expect(new Set(Array.from({ length: 1_000 }, () => newOtpCode(10, 'alphanumeric'))).size).toBe(1_000);
});

test('a MAC is bound to pepper, account, verification and code in either case', () => {
  const mac = otpMac(PEPPER, 'account', 'id', 'AB23');

  expect(otpMac(PEPPER, 'account', 'id', 'ab23')).toEqual(mac);
  const others = [
    otpMac(randomBytes(32).toString('base64'), 'account', 'id', 'AB23'),
    otpMac(PEPPER, 'other', 'id', 'AB23'),
    otpMac(PEPPER, 'account', 'other', 'AB23'),
    otpMac(PEPPER, 'account', 'id', 'AB24'),
  ];
  expect(others).not.toContainEqual(mac);
});

test('a blinded MAC differs with each nonce', () => {
  const mac = otpMac(PEPPER, 'account', 'id', 'AB23');
  const nonce = randomBytes(16);

  expect(blindMac(mac, nonce)).toEqual(blindMac(mac, nonce));
  expect(blindMac(mac, randomBytes(16))).not.toEqual(blindMac(mac, nonce));
});
