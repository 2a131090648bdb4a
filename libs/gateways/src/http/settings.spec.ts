import { expect, test } from '@jest/globals';
import { SETTINGS } from '../../test/http-vendor.ts';
import { readSettings } from '../read-settings.ts';
import { HTTP_KIND } from './kind.ts';

const SECRETS = { token: 'TOKEN', callbackSecret: 'SECRET-OF-CALLBACKS' };

test.each<[string, object, Record<string, string> | undefined, string, string]>([
  ['no request', {}, undefined, 'settings.request', 'is needed'],
  [
    'an unknown key',
    { ...SETTINGS, hook: 'x' },
    undefined,
    'settings.hook',
    'is no setting of a gateway of kind http',
  ],
  [
    'code',
    { ...SETTINGS, answer: { id: 'a', rules: [{ result: 'process.exit()' }] } },
    undefined,
    'settings.answer.rules.0.result',
    'must be one of',
  ],
  [
    'a host from the message',
    withUrl('https://{recipient}.test/'),
    undefined,
    'settings.request.url',
    'must begin with {baseUrl}',
  ],
  [
    'a user in the address',
    withUrl('https://a:b@c.test/'),
    undefined,
    'settings.request.url',
    'must begin with {baseUrl}',
  ],
  [
    'another scheme',
    withUrl('file:///etc/passwd'),
    undefined,
    'settings.request.url',
    'must begin with {baseUrl}',
  ],
  [
    'a token in the query',
    withUrl('https://a.test/?k={token}'),
    undefined,
    'settings.request.url',
    'names {token}',
  ],
  ['a look-around', { ...SETTINGS, answer: { id: '/(?=a)/' } }, undefined, 'settings.answer.id', 'RE2'],
  [
    'a preset without its account',
    { preset: 'twilio' },
    undefined,
    'settings.accountSid',
    'is needed by the preset twilio',
  ],
  [
    'a parameter of another preset',
    { preset: 'bird', authId: 'x' },
    undefined,
    'settings.authId',
    'does not use it',
  ],
  ['a preset without a token', { preset: 'bird' }, { callbackSecret: 'x' }, 'secrets.token', 'is needed'],
  [
    'a private address',
    { ...SETTINGS, baseUrl: 'http://127.0.0.1:13013' },
    undefined,
    'settings.baseUrl',
    'is a private address: if that is meant, set settings.allowPrivateNetwork to true',
  ],
  [
    'a private name in the request',
    { ...withUrl('https://sms.internal/send'), baseUrl: undefined },
    undefined,
    'settings.request.url',
    'is a private address',
  ],
  [
    'the address of the credentials of a cloud',
    { ...SETTINGS, baseUrl: 'http://169.254.169.254', allowPrivateNetwork: true },
    undefined,
    'settings.baseUrl',
    'is an address that no gateway may call',
  ],
  [
    'unsigned callbacks without a secret',
    { preset: 'vonage', apiKey: 'x' },
    { token: 'x' },
    'secrets.callbackSecret',
    'is needed',
  ],
  [
    'a header of the client',
    withHeaders({ Host: 'x' }),
    undefined,
    'settings.request.headers.Host',
    'is no header',
  ],
  [
    'an unknown part',
    withSignature(['url', 'eval']),
    undefined,
    'settings.callback.signature.parts',
    'has the unknown part eval',
  ],
  [
    'a signature that is nowhere',
    { ...SETTINGS, callback: { signature: { type: 'hmac', parts: ['body'] } } },
    undefined,
    'settings.callback.signature',
    'needs the header',
  ],
  [
    'a short key in the address',
    { preset: 'vonage', apiKey: 'x' },
    { token: 'x', callbackSecret: 'short' },
    'secrets.callbackSecret',
    'at least 16 characters',
  ],
])('settings with %s are refused', (_, settings, secrets, field, problem) => {
  const read = readSettings(HTTP_KIND, { baseUrl: 'https://a.test', ...settings }, secrets ?? SECRETS);
  expect(read).toHaveProperty('problems');
  expect((read as { problems: unknown[] }).problems).toContainEqual({
    field,
    problem: expect.stringContaining(problem),
  });
});

test('a private address is taken with allowPrivateNetwork', () => {
  const settings = { ...SETTINGS, baseUrl: 'http://10.0.0.1:13013', allowPrivateNetwork: true };
  expect(readSettings(HTTP_KIND, settings, SECRETS)).not.toHaveProperty('problems');
});

test('a preset asks for no token when the request of the gateway sends none', () => {
  const request = { method: 'GET', auth: [], url: '{baseUrl}/send' };
  const settings = { preset: 'kannel', baseUrl: 'https://a.test', username: 'x', request };
  const secrets = { callbackSecret: SECRETS.callbackSecret };
  expect(readSettings(HTTP_KIND, settings, secrets)).not.toHaveProperty('problems');
});

test('a setting of another type, and a credential among the settings, are one problem each', () => {
  const settings = { ...SETTINGS, baseUrl: 'https://a.test', timeoutMs: '5', token: 'x' };
  expect(readSettings(HTTP_KIND, settings, SECRETS)).toEqual({
    problems: [
      { field: 'settings.token', problem: 'is a credential: give it as secrets.token' },
      { field: 'settings.timeoutMs', problem: expect.stringContaining('must be a whole number') },
    ],
  });
});

function withUrl(url: string): object {
  return { ...SETTINGS, request: { ...SETTINGS.request, url } };
}

function withHeaders(headers: object): object {
  return { ...SETTINGS, request: { ...SETTINGS.request, headers } };
}

function withSignature(parts: string[]): object {
  return { ...SETTINGS, callback: { signature: { type: 'hmac', header: 'x', parts } } };
}
