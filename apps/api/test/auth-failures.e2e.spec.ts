import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { newApiKey } from '@signalbox/domain/api-key';
import { chatSimulatorCallback, signChatCallback } from '@signalbox/gateways/simulator/chat-callback';
import { GOOD_SMS, expectFailure, startSharedApi } from './api-under-test.ts';

const SECRET = 'the-secret-of-the-gateway';
const t = await startSharedApi({
  env: { AUTH_FAILURES_PER_MINUTE: '20', CALLBACK_SECRETS: `chat-simulator:${SECRET}` },
});

/** A caller behind a trusted proxy. */
const from = (address: string, headers: Record<string, string | null>) =>
  t.call({ body: GOOD_SMS, headers: { 'x-forwarded-for': address, ...headers } });

test('after 20 failures an address gets 429 for failures only', async () => {
  for (let i = 0; i < 20; i += 1)
    expectFailure(await from('198.51.100.1', { apikey: newApiKey('live') }), 401, 'api_key_invalid');

  const refused = await from('198.51.100.1', { apikey: newApiKey('live') });
  expectFailure(refused, 429, 'rate_limited');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expectFailure(await from('198.51.100.1', { apikey: null }), 429, 'rate_limited');
  expect((await from('198.51.100.1', {})).status).toBe(200);
  expectFailure(await from('198.51.100.2', { apikey: newApiKey('live') }), 401, 'api_key_invalid');
});

test('the addresses of an IPv6 network of 64 bits count as one', async () => {
  for (let i = 0; i < 20; i += 1)
    expectFailure(await from(`2a00:1450:4001:80e::${i + 1}`, { apikey: null }), 401, 'api_key_missing');

  expectFailure(await from('2a00:1450:4001:80e:f::1', { apikey: null }), 429, 'rate_limited');
  expectFailure(await from('2a00:1450:4001:80f::1', { apikey: null }), 401, 'api_key_missing');
});

test('after 20 wrong signatures an address gets 429, and its signed callbacks are taken', async () => {
  const body = chatSimulatorCallback({});
  const callBack = (address: string, secret: string, gateway = 'chat-simulator') =>
    t.call({
      path: `/v1/callbacks/${gateway}`,
      headers: { apikey: null, 'x-forwarded-for': address, ...signChatCallback(body, secret) },
      body,
    });

  for (let i = 0; i < 30; i += 1)
    expectFailure(await callBack('198.51.100.4', SECRET, `unknown-${i}`), 404, 'route_not_found');
  for (let i = 0; i < 20; i += 1)
    expectFailure(await callBack('198.51.100.4', 'a forged secret'), 401, 'signature_invalid');

  const refused = await callBack('198.51.100.4', 'a forged secret');
  expectFailure(refused, 429, 'rate_limited');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await callBack('198.51.100.4', SECRET)).status).toBe(200);
  expectFailure(await callBack('198.51.100.5', 'a forged secret'), 401, 'signature_invalid');
});

test('the key is checked before the body arrives', async () => {
  const { port } = new URL(t.p.apiUrl);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    `POST /v1/sms HTTP/1.1\r\nhost: a\r\napikey: ${newApiKey('live')}\r\ncontent-type: application/json\r\ncontent-length: 262144\r\n\r\n`,
  );

  const [first] = (await socket.take(1).toArray()) as [Buffer];

  expect(first.toString()).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

test('a key is accepted as a bearer token', async () => {
  const bearer = await from('198.51.100.3', { apikey: null, authorization: `Bearer ${t.p.apiKey}` });
  const neither = await from('198.51.100.3', { apikey: null, authorization: 'Basic abc' });

  expect(bearer.status).toBe(200);
  expectFailure(neither, 401, 'api_key_missing');
  expect(neither.body.message).toMatch(/`apikey`.*`Authorization: Bearer`/);
});
