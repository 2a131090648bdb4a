import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { hashApiKey, newApiKey } from '@signalbox/domain/api-key';
import { SCOPES, type Scope } from '@signalbox/domain/scope';
import { loadConfig } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { createApi } from '../src/api.ts';
import { ApiConfig } from '../src/config.ts';
import { SECRETS_KEY } from '@signalbox/test/pipeline';
import { A_QUEUE } from '@signalbox/test/queue';
import {
  type ApiUnderTest,
  type Call,
  GOOD_SMS,
  expectFailure,
  sameForAll,
  startSharedApi,
} from './api-under-test.ts';

const t = await startSharedApi();

const send = (apikey: string): Call => ({ body: GOOD_SMS, headers: { apikey } });
const get = (path: string, apikey: string): Call => ({ method: 'GET', path, headers: { apikey } });

test('unknown, revoked, expired and mistyped keys get the same answer on every endpoint', async () => {
  const [revoked, expired, good] = [await t.addKey('Keys'), await t.addKey('Keys'), await t.addKey('Keys')];
  await t.db.query(`UPDATE api_key SET revoked_at = now() WHERE hash = $1`, [hashApiKey(revoked)]);
  await t.db.query(`UPDATE api_key SET expires_at = now() - interval '1 second' WHERE hash = $1`, [
    hashApiKey(expired),
  ]);
  const bad = [newApiKey('test'), newApiKey('live'), revoked, expired, `${good}x`, good.slice(0, -1), 'x'];

  for (const callWith of [
    send,
    (key: string) => get('/v1/webhooks', key),
    (key: string) => get('/v1/messages/x', key),
  ]) {
    const answers = await Promise.all(bad.map((key) => t.call(callWith(key))));

    for (const answer of answers) expectFailure(answer, 401, 'api_key_invalid');
    expect(answers.map(({ headers }) => headers['www-authenticate'])).toEqual(bad.map(() => 'Bearer'));
    expect(new Set(answers.map(sameForAll)).size).toBe(1);
  }
  expect((await t.call(send(good))).status).toBe(200);
});

test('a key that expires later and a second key of an account with a revoked one are accepted', async () => {
  const [later, revoked] = [await t.addKey('Two keys'), await t.addKey('Two keys')];
  await t.db.query(`UPDATE api_key SET expires_at = now() + interval '1 hour' WHERE hash = $1`, [
    hashApiKey(later),
  ]);
  await t.db.query(`UPDATE api_key SET revoked_at = now() WHERE hash = $1`, [hashApiKey(revoked)]);

  expect((await t.call(send(later))).status).toBe(200);
  expectFailure(await t.call(send(revoked)), 401, 'api_key_invalid');
});

test('every call of a suspended account is refused as such', async () => {
  const key = await t.addKey('Suspended');
  await t.db.query(`UPDATE account SET status = 'suspended' WHERE name = 'Suspended'`);

  expectFailure(await t.call(send(key)), 403, 'account_suspended');
  expectFailure(await t.call(get('/v1/webhooks', key)), 403, 'account_suspended');
});

test.each([
  ['send', { body: GOOD_SMS }, 200],
  ['send', { method: 'GET', path: '/v1/messages/x' }, 404],
  ['webhooks', { path: '/v1/webhooks', body: { name: 'scoped', endPoint: 'https://198.41.0.4/' } }, 201],
  ['webhooks', { method: 'GET', path: '/v1/webhooks' }, 200],
  ['webhooks', { method: 'GET', path: '/v1/webhooks/x' }, 404],
] as [Scope, Call, number][])(
  'an endpoint of the scope "%s" takes no other: %j',
  async (scope, call, status) => {
    const with_ = await t.addKey('Scoped', [scope]);
    const without = await t.addKey(
      'Scoped',
      SCOPES.filter((other) => other !== scope),
    );

    expectFailure(await t.call({ ...call, headers: { apikey: without } }), 403, 'scope_missing');
    expect((await t.call({ ...call, headers: { apikey: with_ } })).status).toBe(status);
  },
);

test('a revocation soon applies on every API process', async () => {
  await using second = await startSecondApi(t);
  const key = await t.addKey('Revoked');
  const statuses = async (): Promise<number[]> => {
    const [first, other] = await Promise.all([t.call(send(key)), second.call(key)]);
    return [first.status, other];
  };
  expect(await statuses()).toEqual([200, 200]);

  await t.db.query(`UPDATE api_key SET revoked_at = now() WHERE hash = $1`, [hashApiKey(key)]);
  const revokedAt = performance.now();
  let lastServedAt = revokedAt;
  const allRefuse = async (): Promise<boolean> => {
    const askedAt = performance.now();
    const refused = (await statuses()).every((status) => status === 401);
    if (!refused) lastServedAt = askedAt;
    return refused;
  };

  await waitFor(allRefuse, { otherwise: 'the revoked key was not refused' });
  expect(lastServedAt - revokedAt).toBeLessThan(5_000);
  expect(await statuses()).toEqual([401, 401]);
});

test("another account's message and webhook are absent, as if they never existed", async () => {
  const other = await t.addKey('Other tenant');
  const sent = await t.call({ body: GOOD_SMS });
  const webhook = await t.call<{ id: string }>({
    path: '/v1/webhooks',
    body: { name: 'mine', endPoint: 'https://198.41.0.4/' },
  });
  const message = `/v1/messages/${sent.body.id}:1`;
  const mine = `/v1/webhooks/${webhook.body.data.id}`;

  expect([
    (await t.call(get(message, t.p.apiKey))).status,
    (await t.call(get(mine, t.p.apiKey))).status,
  ]).toEqual([200, 200]);
  const answers = await Promise.all(
    [message, `/v1/messages/${crypto.randomUUID()}:1`].map((path) => t.call(get(path, other))),
  );
  const webhooks = await Promise.all(
    [mine, `/v1/webhooks/${crypto.randomUUID()}`].map((path) => t.call(get(path, other))),
  );

  for (const answer of answers) expectFailure(answer, 404, 'message_not_found');
  for (const answer of webhooks) expectFailure(answer, 404, 'webhook_not_found');
  expect(new Set(answers.map(sameForAll)).size).toBe(1);
  expect(new Set(webhooks.map(sameForAll)).size).toBe(1);
  expect((await t.call(get('/v1/webhooks', other))).body.data).toEqual([]);
});

test('the database holds no key in plain text', async () => {
  const key = await t.addKey('Hidden');
  const rows: { row: string }[] = await t.db.query(
    `SELECT api_key::text AS row FROM api_key UNION ALL SELECT account::text FROM account`,
  );

  expect(rows.length).toBeGreaterThan(1);
  expect(rows.filter(({ row }) => row.includes(key.slice(8, 30)))).toEqual([]);
});

/** Stands for a second API process: another cache and other connections on the same database. */
async function startSecondApi({
  p,
}: ApiUnderTest): Promise<AsyncDisposable & { call(apikey: string): Promise<number> }> {
  const secrets = {
    SECRETS_KEY,
    OTP_PEPPER: randomBytes(32).toString('base64'),
  };
  const settings = {
    DATABASE_URL: p.databaseUrl,
    ...A_QUEUE.settings(p.databaseUrl),
    PORT: '0',
    PUBLIC_URL: 'https://sgnl.example',
    ...secrets,
  };
  const { app, drain } = await createApi(loadConfig(ApiConfig, settings), createLogger('test', 'silent'));
  await app.listen(0, '127.0.0.1');
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  return {
    call: async (apikey) =>
      (await fetch(`${url}/v1/messages/x`, { headers: { apikey } })).status === 401 ? 401 : 200,
    [Symbol.asyncDispose]: () => drain(0),
  };
}
