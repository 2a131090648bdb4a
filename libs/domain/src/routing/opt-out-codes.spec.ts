import { expect, test } from '@jest/globals';
import { isOptOut } from './opt-out-codes.ts';

test.each<[string, object, string, string, boolean]>([
  ['http', { preset: 'twilio' }, '010', '21610', true],
  ['http', { preset: 'plivo' }, '010', '200', true],
  ['cloud-api', {}, '010', '131050', true],
  ['http', { preset: 'twilio' }, '010', '200', false],
  ['http', { preset: 'twilio' }, '001', '21610', false],
  ['http', {}, '010', '21610', false],
  ['smpp', {}, '010', '200', false],
  ['smpp', { preset: 'plivo' }, '010', '200', false],
])('of a gateway %s with %j, errCode %s with code %s is an opt-out: %s', (kind, settings, ...rest) => {
  const [errCode, code, expected] = rest;

  expect(isOptOut({ kind, settings }, errCode, code)).toBe(expected);
});
