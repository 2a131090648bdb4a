import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import twilio from 'twilio';
import { callbackTo } from '../../test/http-vendor.ts';
import type { CallbackRequest } from '../callback-format.ts';
import { PRESETS } from './presets.ts';
import { compileSignature } from './signature.ts';

const SECRET = '12345';
const URL_WITH_REF = 'https://sms.example.com/v1/callbacks/twilio?ref=a%3A1&sig=00';

describe('the signature of Twilio', () => {
  const verify = compileSignature(PRESETS.twilio.callback.signature!, SECRET);
  const form = {
    MessageSid: 'SM1',
    MessageStatus: 'delivered',
    To: '+919812345678',
    Body: 'é & = + 😀',
    From: '',
  };
  const signed = (url: string, signature: string, given: object = { form }): CallbackRequest =>
    callbackTo(url, { ...given, headers: { 'x-twilio-signature': signature, ...headersOf(given) } });

  test('is the one of their SDK', () => {
    const signature = twilio.getExpectedTwilioSignature(SECRET, URL_WITH_REF, form);
    expect(verify(signed(URL_WITH_REF, signature))).toBe(true);
  });

  test('is wrong for another field, address or secret', () => {
    const signature = twilio.getExpectedTwilioSignature(SECRET, URL_WITH_REF, form);
    expect(verify(signed(URL_WITH_REF, signature, { form: { ...form, MessageStatus: 'failed' } }))).toBe(
      false,
    );
    expect(verify(signed(URL_WITH_REF.replace('a%3A1', 'a%3A2'), signature))).toBe(false);
    expect(compileSignature(PRESETS.twilio.callback.signature!, 'x')(signed(URL_WITH_REF, signature))).toBe(
      false,
    );
    expect(verify(callbackTo(URL_WITH_REF, { form }))).toBe(false);
  });

  test.each([
    ['https://sms.example.com:8443/v1/callbacks/t', 'https://sms.example.com/v1/callbacks/t'],
    ['https://sms.example.com/v1/callbacks/t', 'https://sms.example.com:443/v1/callbacks/t'],
  ])('may be of %s as of %s', (called, signedUrl) => {
    const signature = twilio.getExpectedTwilioSignature(SECRET, signedUrl, form);
    expect(verify(signed(called, signature))).toBe(true);
  });

  test('is the one of their SDK for a field with several values', () => {
    const fields = { ...form, Media: ['b', 'a', 'b'] };
    const signature = twilio.getExpectedTwilioSignature(SECRET, URL_WITH_REF, fields);
    const body = `${new URLSearchParams(form).toString()}&Media=b&Media=a&Media=b`;
    expect(verify(signed(URL_WITH_REF, signature, { form, body }))).toBe(true);
  });

  test('of a JSON body covers it by its hash in the address', () => {
    const body = '{"a":1}';
    const url = `https://sms.example.com/cb?bodySHA256=${createHash('sha256').update(body).digest('hex')}`;
    const signature = twilio.getExpectedTwilioSignature(SECRET, url, {});
    const json = { body, headers: { 'content-type': 'application/json' } };
    expect(twilio.validateRequestWithBody(SECRET, signature, url, body)).toBe(true);
    expect(verify(signed(url, signature, json))).toBe(true);
    expect(verify(signed(url, signature, { ...json, body: '{"a":2}' }))).toBe(false);
  });
});

test.each([
  [1_000, 'f', true],
  [1_001, 'f', false],
  [1_001, '{', false],
])('a signed form of %i fields with the prefix %s is read: %s', (count, prefix, isRead) => {
  const verify = compileSignature(PRESETS.twilio.callback.signature!, SECRET);
  const fields = Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, '']));
  const signature = twilio.getExpectedTwilioSignature(SECRET, URL_WITH_REF, fields);
  const headers = { 'x-twilio-signature': signature, 'content-type': 'application/x-www-form-urlencoded' };
  const body = Object.keys(fields).join('=&'); // a brace as it is
  expect(verify(callbackTo(URL_WITH_REF, { body, headers }))).toBe(isRead);
});

test.each([
  [262_144, true],
  [262_145, false],
])('a signed form of %i bytes is read: %s', (bytes, isRead) => {
  const verify = compileSignature(PRESETS.twilio.callback.signature!, SECRET);
  const form = { Body: 'a'.repeat(bytes - 'Body='.length) };
  const headers = { 'x-twilio-signature': twilio.getExpectedTwilioSignature(SECRET, URL_WITH_REF, form) };
  const body = new URLSearchParams(form).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  expect(verify(callbackTo(URL_WITH_REF, { body, headers: { ...headers, ...type } }))).toBe(isRead);
});

test.each([
  [16_384, true],
  [16_385, false],
])('signed parameters of a JSON body of %i bytes are read: %s', (bytes, isRead) => {
  const verify = compileSignature({ type: 'hmac', parts: ['parameters'], parameter: 'sig' }, SECRET);
  const text = 'a'.repeat(bytes - '{"text":""}'.length);
  const sig = createHmac('sha256', SECRET).update(`&text=${text}`).digest('hex');
  const post = callbackTo(`https://a.test/cb?sig=${sig}`, { body: JSON.stringify({ text }) });
  expect(verify(post)).toBe(isRead);
});

describe('the token of Bird', () => {
  const verify = compileSignature(PRESETS.bird.callback.signature!, SECRET);
  const url = 'https://sms.example.com/v1/callbacks/bird?id=1&reference=a%3A1&status=delivered';
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: 'MessageBird', nbf: now - 1, exp: now + 60, jti: '1', url_hash: sha256(url) };
  const get = (jwt: string) => callbackTo(url, { headers: { 'messagebird-signature-jwt': jwt } });

  test('covers the address of a GET, which has no body', () => {
    expect(verify(get(token(claims)))).toBe(true);
    expect(verify(get(token({ ...claims, url_hash: sha256(`${url}x`) })))).toBe(false);
    expect(verify(get(token({ ...claims, url_hash: undefined })))).toBe(false);
  });

  test('covers the body of a POST', () => {
    const post = (payload_hash: string | undefined) =>
      callbackTo(url, {
        body: 'a=1',
        headers: { 'messagebird-signature-jwt': token({ ...claims, payload_hash }) },
      });
    expect(verify(post(sha256('a=1')))).toBe(true);
    expect([verify(post(sha256('a=2'))), verify(post(undefined))]).toEqual([false, false]);
  });

  test.each([
    ['expired', { exp: now - 3_600 }],
    ['of the future', { nbf: now + 3_600 }],
    ['without a readable end', { exp: 'soon' }],
  ])('is refused when it is %s', (_, given) => {
    expect(verify(get(token({ ...claims, ...given })))).toBe(false);
  });

  test.each([
    '',
    'a.b',
    'a.b.c.d',
    '..',
    token(claims, 'none'),
    token(claims, 'HS256', 'other'),
    `${token(claims)}x`,
  ])('is refused as %j', (text) => {
    expect(verify(get(text))).toBe(false);
  });
});

describe('other signatures', () => {
  test('that of Plivo covers the address without its query and a nonce', () => {
    const verify = compileSignature(PRESETS.plivo.callback.signature!, SECRET);
    const base = 'https://sms.example.com/v1/callbacks/plivo';
    const signature = createHmac('sha256', SECRET).update(`${base}12345678`).digest('base64');
    const post = (nonce: string) =>
      callbackTo(`${base}?ref=a`, {
        form: { Status: 'delivered' },
        headers: { 'x-plivo-signature-v2': signature, 'x-plivo-signature-v2-nonce': nonce },
      });
    expect([verify(post('12345678')), verify(post('87654321'))]).toEqual([true, false]);
  });

  test.each([
    ['hash', 'md5', (text: string) => createHash('md5').update(`${text}${SECRET}`).digest('hex')],
    [
      'hmac',
      'sha256',
      (text: string) => createHmac('sha256', SECRET).update(text).digest('hex').toUpperCase(),
    ],
  ] as const)('that of Vonage is a %s with %s over the sorted parameters', (type, algorithm, sign) => {
    const verify = compileSignature({ type, algorithm, parts: ['parameters'], parameter: 'sig' }, SECRET);
    const sig = sign('&messageId=0A&msisdn=1&text=a_b_c&timestamp=1700000000');
    const url = (text: string) =>
      `https://a.test/cb?msisdn=1&text=${encodeURIComponent(text)}&messageId=0A&timestamp=1700000000&sig=${sig}`;
    expect(verify(callbackTo(url('a&b=c')))).toBe(true);
    expect(verify(callbackTo(url('a&b=d')))).toBe(false);
    expect(verify(callbackTo('https://a.test/cb?msisdn=1'))).toBe(false);
  });

  test('one over time, address and body is a list of parts', () => {
    const settings = {
      type: 'hmac' as const,
      encoding: 'base64' as const,
      header: 'MessageBird-Signature',
      parts: ['header:messagebird-request-timestamp', 'text:\n', 'url', 'text:\n', 'bodySha256'],
    };
    const url = 'https://a.test/cb';
    const content = Buffer.concat([Buffer.from(`17\n${url}\n`), createHash('sha256').update('{}').digest()]);
    const signature = createHmac('sha256', SECRET).update(content).digest('base64');
    const post = (body: string) =>
      callbackTo(url, {
        body,
        headers: { 'messagebird-signature': signature, 'messagebird-request-timestamp': '17' },
      });
    const verify = compileSignature(settings, SECRET);
    expect([verify(post('{}')), verify(post('[]'))]).toEqual([true, false]);
  });

  test('one with a prefix needs it', () => {
    const verify = compileSignature(
      { type: 'hmac', header: 'x-hub-signature-256', prefix: 'sha256=' },
      SECRET,
    );
    const signature = createHmac('sha256', SECRET).update('{}').digest('hex');
    const post = (header: string) =>
      callbackTo('https://a.test/', { body: '{}', headers: { 'x-hub-signature-256': header } });
    expect([verify(post(`sha256=${signature}`)), verify(post(signature))]).toEqual([true, false]);
  });
});

function headersOf(given: { headers?: object }): object {
  return given.headers ?? {};
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function token(claims: object, alg = 'HS256', secret = SECRET): string {
  const content = [{ alg, typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature =
    alg === 'none' ? '' : createHmac('sha256', secret).update(content.join('.')).digest('base64url');
  return [...content, signature].join('.');
}
