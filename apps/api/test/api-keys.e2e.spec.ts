import { expect, test } from '@jest/globals';
import { hashApiKey } from '@signalbox/domain/api-key';
import { loadConfig } from '@signalbox/runtime/load-config';
import { createLogger } from '@signalbox/runtime/logger';
import { SECRETS_KEY } from '@signalbox/test/pipeline';
import { A_QUEUE } from '@signalbox/test/queue';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { createApi } from '../src/api.ts';
import { KeyUses } from '../src/auth/key-uses.ts';
import { ApiConfig } from '../src/config.ts';
import { type Answer, type Call, expectFailure, startSharedApi } from './api-under-test.ts';
import { type Browser, signIn } from './users-under-test.ts';

interface NewKey {
  id: string;
  key: string;
  name: string;
  scopes: string[];
  status: string;
  expiresAt: string | null;
  replacedBy: string | null;
}

const t = await startSharedApi();
const admin = await signIn(t, 'admin');

const create = (body: object, by: Pick<Browser, 'call'> = admin) =>
  by.call<NewKey>({ path: '/v1/api-keys', body });
const ask = (apikey: string): Call => ({ method: 'GET', path: '/v1/me', headers: { apikey } });
const statusOf = async (apikey: string): Promise<number> => (await t.call(ask(apikey))).status;
const listed = async (id: string): Promise<NewKey | undefined> =>
  (await admin.call<NewKey[]>({ method: 'GET', path: '/v1/api-keys' })).body.data.find(
    (key) => key.id === id,
  );

/** Another process, as it serves next to the one under test. */
async function startSecond() {
  const settings = { DATABASE_URL: t.p.databaseUrl, ...A_QUEUE.settings(t.p.databaseUrl), PORT: '0' };
  const keys = {
    SECRETS_KEY,
    OTP_PEPPER: Buffer.alloc(32, 8).toString('base64'),
  };
  const config = loadConfig(ApiConfig, {
    ...settings,
    ...keys,
    LOG_LEVEL: 'silent',
    PUBLIC_URL: 'http://localhost',
  });
  const { app } = await createApi(config, createLogger('test', 'silent'));
  await app.listen(0, '127.0.0.1');
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  return {
    app,
    status: async (apikey: string) => (await fetch(`${url}/v1/me`, { headers: { apikey } })).status,
    [Symbol.asyncDispose]: () => app.close(),
  };
}

test('a key that expires makes no key that outlives it', async () => {
  const expiresAt = '2090-01-01T00:00:00.000Z';
  const [maker, endless] = [
    await create({ name: 'Maker', scopes: ['manage'], expiresAt }),
    await create({ name: 'Endless', scopes: ['manage'] }),
  ].map(({ body }) => body.data);
  const headers = { apikey: maker!.key };
  const make = (body: object, path = '/v1/api-keys') => t.call<NewKey>({ path, headers, body });
  const wanted = { name: 'Made', scopes: ['manage'] };
  const path = '/v1/api-keys';
  const repeated = { 'idempotency-key': 'made-once' };
  await admin.call({ path, headers: repeated, body: wanted });
  const repeat = await t.call({ path, headers: { ...headers, ...repeated }, body: wanted });
  expectFailure(repeat, 422, 'idempotency_key_reused');

  const late = await make({ ...wanted, expiresAt: '2090-01-01T00:00:00.001Z' });
  expectFailure(late, 400, 'invalid_request', ['expiresAt out_of_range']);
  const made = [
    await make(wanted),
    await make({ ...wanted, expiresAt: '2080-01-01T00:00:00Z' }),
    await make({}, `/v1/api-keys/${endless!.id}/rotate`),
  ];

  expect(made.map(({ body }) => body.data.expiresAt)).toEqual([
    expiresAt,
    '2080-01-01T00:00:00.000Z',
    expiresAt,
  ]);
});

test('a rotated key that expires expires with the key that it replaces', async () => {
  const expiresAt = '2090-01-01T00:00:00.000Z';
  const { id } = (await create({ name: 'Partner', scopes: ['send'], expiresAt })).body.data;

  const rotated = await admin.call<NewKey>({ path: `/v1/api-keys/${id}/rotate`, body: {} });

  expect(rotated.body.data.expiresAt).toBe(expiresAt);
});

test('a key is shown once, stored as a hash, and works with its scopes', async () => {
  const { status, body } = await create({ name: 'Server', scopes: ['send', 'send'] });
  const { id, key } = body.data;

  expect(status).toBe(201);
  expect(await t.db.query(`SELECT created_by FROM api_key WHERE hash = $1`, [hashApiKey(key)])).toEqual([
    { created_by: expect.stringMatching(/^user:/) },
  ]);
  expect((await t.call(ask(key))).body.data).toMatchObject({ kind: 'key', name: 'Server', scopes: ['send'] });
  expect(JSON.stringify(await listed(id))).not.toContain(key);
  expectFailure(
    await t.call({ method: 'GET', path: '/v1/webhooks', headers: { apikey: key } }),
    403,
    'scope_missing',
  );
});

test('nobody makes or rotates a key with more scopes than they have', async () => {
  const manager = await t.addKey('Users', ['manage']);
  const byKey = { call: <D>(call: Call) => t.call<D>({ ...call, headers: { apikey: manager } }) };
  const operator = await t.addKey('Users', ['manage', 'ops']);
  const strong = (
    await create(
      { name: 'Strong', scopes: ['ops'] },
      { call: (call) => t.call({ ...call, headers: { apikey: operator } }) },
    )
  ).body.data;

  expectFailure(await create({ name: 'x', scopes: ['ops'] }), 403, 'scope_missing');
  expectFailure(await create({ name: 'x', scopes: ['manage', 'send'] }, byKey), 403, 'scope_missing');
  expectFailure(
    await admin.call({ path: `/v1/api-keys/${strong.id}/rotate`, body: {} }),
    403,
    'scope_missing',
  );
  expect((await create({ name: 'x', scopes: ['manage'] }, byKey)).status).toBe(201);
});

test('a key that a limited key makes or rotates has at most the same limit', async () => {
  const limited = await t.addKey('Limited', ['manage']);
  const free = await t.addKey('Limited', ['manage']);
  await t.db.query('UPDATE api_key SET rate_limit_per_minute = 70 WHERE hash = $1', [hashApiKey(limited)]);
  const byKey = { call: <D>(call: Call) => t.call<D>({ ...call, headers: { apikey: limited } }) };

  const byFree = { call: <D>(call: Call) => t.call<D>({ ...call, headers: { apikey: free } }) };
  const limitOf = async ({ body }: Answer<NewKey>): Promise<number | null> => {
    const limit = 'SELECT rate_limit_per_minute AS "limit" FROM api_key WHERE id = $1';
    return ((await t.db.query(limit, [body.data.id])) as [{ limit: number | null }])[0].limit;
  };

  const made = await create({ name: 'x', scopes: ['manage'] }, byKey);
  const other = await create({ name: 'y', scopes: ['manage'] }, byFree);
  const path = `/v1/api-keys/${other.body.data.id}/rotate`;

  expect(await Promise.all([limitOf(made), limitOf(other)])).toEqual([70, null]);
  expect(await limitOf(await byKey.call<NewKey>({ path, body: {} }))).toBe(70);
});

test('a revoked key is refused by every process', async () => {
  await using second = await startSecond();
  const { id, key } = (await create({ name: 'Revoked', scopes: ['send'] })).body.data;
  const statuses = async () => [await statusOf(key), await second.status(key)];
  expect(await statuses()).toEqual([200, 200]);

  expect((await admin.call({ method: 'DELETE', path: `/v1/api-keys/${id}` })).status).toBe(200);

  await waitFor(async () => (await statuses()).every((status) => status === 401), {
    otherwise: 'the revoked key was not refused',
  });
  expect((await admin.call({ method: 'DELETE', path: `/v1/api-keys/${id}` })).status).toBe(200);
  expectFailure(await admin.call({ path: `/v1/api-keys/${id}/rotate`, body: {} }), 409, 'api_key_ended');
});

test('a rotated key works for the overlap, and not afterwards', async () => {
  const old = (await create({ name: 'Rotated', scopes: ['send', 'verify'] })).body.data;
  const rotate = (body: object) => admin.call<NewKey>({ path: `/v1/api-keys/${old.id}/rotate`, body });

  const fresh = (await rotate({ overlapHours: 2 })).body.data;

  expect(fresh).toMatchObject({ name: 'Rotated', scopes: ['send', 'verify'], expiresAt: null });
  expect([await statusOf(old.key), await statusOf(fresh.key)]).toEqual([200, 200]);
  expect(await listed(old.id)).toMatchObject({ status: 'replaced', replacedBy: fresh.id });
  const [row] = (await t.db.query(
    `SELECT round(extract(epoch FROM expires_at - now()) / 60) AS minutes FROM api_key WHERE id = $1`,
    [old.id],
  )) as [{ minutes: string }];
  expect(Number(row.minutes)).toBe(120);
  expectFailure(await rotate({}), 409, 'api_key_ended');
  await t.db.query(`UPDATE api_key SET expires_at = now() WHERE id = $1`, [old.id]);
  await waitFor(async () => (await statusOf(old.key)) === 401, { otherwise: 'the replaced key still works' });
  expect(await statusOf(fresh.key)).toBe(200);
});

test('two rotations at the same time make one key', async () => {
  const { id } = (await create({ name: 'Raced', scopes: ['send'] })).body.data;

  const answers = await Promise.all(
    [1, 2, 3].map(() => admin.call({ path: `/v1/api-keys/${id}/rotate`, body: {} })),
  );

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
});

test('the last use is written once a minute for all keys, not with the request', async () => {
  await using second = await startSecond();
  const { id, key } = (await create({ name: 'Used', scopes: ['send'] })).body.data;
  const usedAt = async () =>
    (await t.db.query(`SELECT last_used_at AS at FROM api_key WHERE id = $1`, [id])) as [{ at: Date | null }];
  expect(await second.status(key)).toBe(200);
  expect(await usedAt()).toEqual([{ at: null }]);

  await second.app.get(KeyUses, { strict: false }).write();

  expect(await usedAt()).toEqual([{ at: expect.any(Date) }]);
});

test('keys of another account are absent, and a viewer and an editor see none', async () => {
  const { id } = (await create({ name: 'Hidden', scopes: ['send'] })).body.data;
  const stranger = await signIn(t, 'admin', 'Strangers');

  for (const [method, path] of [
    ['DELETE', ''],
    ['POST', '/rotate'],
  ] as const)
    expectFailure(
      await stranger.call({ method, path: `/v1/api-keys/${id}${path}`, ...(path && { body: {} }) }),
      404,
      'api_key_not_found',
    );
  for (const role of ['viewer', 'editor'] as const)
    expectFailure(
      await (await signIn(t, role)).call({ method: 'GET', path: '/v1/api-keys' }),
      403,
      'scope_missing',
    );
});

test.each<[string, object, string[]]>([
  ['no scope', { name: 'x', scopes: [] }, ['scopes too_few_items']],
  ['an unknown scope', { name: 'x', scopes: ['root'] }, ['scopes[0] not_allowed_value']],
  [
    'a past end',
    { name: 'x', scopes: ['send'], expiresAt: '2020-01-01T00:00:00Z' },
    ['expiresAt out_of_range'],
  ],
  [
    'an end without a zone',
    { name: 'x', scopes: ['send'], expiresAt: '2099-01-01' },
    ['expiresAt invalid_format'],
  ],
  ['a name of two lines', { name: 'a\nb', scopes: ['send'] }, ['name invalid_format']],
])('a key with %s is refused', async (_name, body, broken) => {
  const answer = await create(body);

  expect([answer.status, answer.body.error.details.map(({ field }) => field)]).toEqual([
    400,
    broken.map((each) => each.split(' ')[0]),
  ]);
});

test('a repeat with the same Idempotency-Key returns the same key', async () => {
  const headers = { 'idempotency-key': 'one key' };
  const call = { path: '/v1/api-keys', headers, body: { name: 'Once', scopes: ['send'] } };

  const [first, second] = [await admin.call<NewKey>(call), await admin.call<NewKey>(call)];

  expect(second.body.data.key).toBe(first.body.data.key);
});
