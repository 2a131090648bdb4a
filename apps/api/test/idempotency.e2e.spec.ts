import { expect, test } from '@jest/globals';
import { hashApiKey } from '@signalbox/domain/api-key';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type Answer, type ApiUnderTest, GOOD_SMS, expectFailure, startSharedApi } from './api-under-test.ts';

const WEBHOOK = { name: 'reports', endPoint: 'https://198.41.0.4/' };

const t = await startSharedApi();

const withKey = (key: string | string[], body: object = GOOD_SMS, apikey = t.p.apiKey): Promise<Answer> =>
  t.call({ body, headers: { apikey, 'idempotency-key': key } });

test('the same key and body return the first answer, and one submission is stored', async () => {
  const before = await t.countRows();
  const body = { ...GOOD_SMS, to: ['919800000101', '919800000102'], unicode: 1, flash: 1 };

  const first = await withKey('same', body);
  const second = await withKey('same', body);
  const reordered = await withKey('same', Object.fromEntries(Object.entries(body).toReversed()));

  expect([first.status, second.status, reordered.status]).toEqual([200, 200, 200]);
  expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([
    undefined,
    'true',
  ]);
  expect([second.text, reordered.text]).toEqual([first.text, first.text]);
  expect((await t.countRows()).submissions).toBe(before.submissions + 1);
});

test('a scheduled send is repeated after its time with the first answer', async () => {
  const sendAt = new Date(Date.now() + 5_000); // on a slow machine, seconds may pass until the first call
  const body = { ...GOOD_SMS, sendAt: sendAt.toISOString() };
  const first = await withKey('scheduled', body);

  await waitFor(() => sendAt.getTime() < Date.now());
  const repeat = await withKey('scheduled', body);

  expect([first.status, repeat.status, repeat.text]).toEqual([200, 200, first.text]);
  expectFailure(await withKey('late', body), 400, 'invalid_request', ['sendAt out_of_range']);
});

test('the same key with another body is refused, and the first answer stays', async () => {
  const first = await withKey('reused');

  expectFailure(await withKey('reused', { ...GOOD_SMS, text: 'Other' }), 422, 'idempotency_key_reused');
  expect((await withKey('reused')).text).toBe(first.text);
});

test('a key applies to one account and one path', async () => {
  const other = await t.addKey('Other');
  const before = await t.countRows();

  await withKey('shared');
  const [theirs, longer, webhook] = [
    await withKey('shared', GOOD_SMS, other),
    await withKey('shared2'),
    await t.call({ path: '/v1/webhooks', body: WEBHOOK, headers: { 'idempotency-key': 'shared' } }),
  ];

  expect(
    [theirs, longer, webhook].map(({ status, headers }) => [status, headers['idempotent-replayed']]),
  ).toEqual([
    [200, undefined],
    [200, undefined],
    [201, undefined],
  ]);
  expect((await t.countRows()).submissions).toBe(before.submissions + 3);
});

test('20 parallel calls with one key make one submission', async () => {
  const before = await t.countRows();

  const answers = await Promise.all(Array.from({ length: 20 }, () => withKey('parallel')));

  const served = answers.filter(({ status }) => status === 200);
  const waiting = answers.filter(({ status }) => status === 409);
  expect(served.length + waiting.length).toBe(20);
  expect(new Set(served.map(({ text }) => text)).size).toBe(1);
  expect(served.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
  for (const answer of waiting) expectFailure(answer, 409, 'idempotency_in_progress');
  expect((await t.countRows()).submissions).toBe(before.submissions + 1);
  expect((await withKey('parallel')).text).toBe(served[0]?.text);
});

test('a bulk send that waits for its key delays no other send', async () => {
  const to = Array.from({ length: 101 }, (_, i) => String(919_800_002_000 + i));
  const taken = Promise.withResolvers<void>();
  const isSent = Promise.withResolvers<void>();
  const other = t.db.transaction(async (db) => {
    await db.query(
      `INSERT INTO idempotency_key (account_id, path, key, body_hash)
       SELECT account_id, '/v1/sms', 'held', '' FROM api_key WHERE hash = $1`,
      [hashApiKey(t.p.apiKey)],
    );
    taken.resolve();
    await isSent.promise;
    throw new Error('rolled back');
  });
  await taken.promise;
  const bulk = withKey('held', { ...GOOD_SMS, to });
  await waitFor(waitsForLock, { otherwise: 'the bulk send did not wait' });

  const single = await t.call({ body: GOOD_SMS });

  isSent.resolve();
  await expect(other).rejects.toThrow('rolled back');
  expect(single.status).toBe(200);
  expect([200, 503]).toContain((await bulk).status); // 503 once it has waited a second
});

async function waitsForLock(): Promise<boolean> {
  const [row] = await t.db.query<[{ waits: boolean }]>(
    `SELECT EXISTS (SELECT FROM pg_stat_activity
                     WHERE wait_event_type = 'Lock' AND datname = current_database()) AS waits`,
  );
  return row.waits;
}

test('the repeat of a send that was erased is refused, and sends nothing', async () => {
  const { id } = (await withKey('erased')).body;
  await t.db.query('DELETE FROM submission WHERE id = $1', [id]);
  const before = await t.countRows();

  const repeated = await withKey('erased');

  expectFailure(repeated, 422, 'idempotency_key_reused');
  expect(repeated.body.error.message).toMatch(/was erased\. Use a new key\.$/);
  expect(await t.countRows()).toEqual(before);
});

test('a repeat is answered although its gateway is disabled, or its bulk is above the limit', async () => {
  const gateway = { name: 'tried', channel: 'sms', kind: 'simulator' };
  await t.call({ path: '/v1/gateways', body: gateway });
  const [apikey, limited] = [await t.addKey('Repeats'), await t.addKey('Repeats')];
  await t.db.query(`UPDATE api_key SET rate_limit_per_minute = 2 WHERE hash = $1`, [hashApiKey(limited)]);
  const message = { sender: 'SIGNALBX', to: '919800000100', text: 'Hello' };
  const tried = { path: '/v1/gateways/tried/test', body: message };
  const bulk = { ...GOOD_SMS, to: ['919800000101', '919800000102', '919800000103'] };
  const first = [
    await t.call({ ...tried, headers: { apikey, 'idempotency-key': 'test' } }),
    await withKey('bulk', bulk, apikey),
  ];
  expect(first.map(({ status }) => status)).toEqual([200, 200]);
  await t.call({ method: 'PATCH', path: '/v1/gateways/tried', body: { enabled: false } });

  const repeats = [
    await t.call({ ...tried, headers: { apikey, 'idempotency-key': 'test' } }),
    await withKey('bulk', bulk, limited),
  ];

  expect(repeats.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
  expectFailure(await withKey('other bulk', bulk, limited), 422, 'bulk_exceeds_rate_limit');
});

test('the repeat of a rotated secret shows it again, although its webhook has been deleted', async () => {
  const webhook = { ...WEBHOOK, name: 'rotated' };
  const { id } = (await t.call<{ id: string }>({ path: '/v1/webhooks', body: webhook })).body.data;
  const rotation = {
    path: `/v1/webhooks/${id}/rotate-secret`,
    body: {},
    headers: { 'idempotency-key': 'rotate' },
  };
  const first = await t.call(rotation);
  await t.call({ method: 'DELETE', path: `/v1/webhooks/${id}` });

  const repeat = await t.call(rotation);

  expect([first.status, repeat.status, repeat.text]).toEqual([first.status, first.status, first.text]);
  expect(repeat.headers['idempotent-replayed']).toBe('true');
  expectFailure(await t.call({ ...rotation, headers: {} }), 404, 'webhook_not_found');
});

test('a refused call leaves its key free', async () => {
  expectFailure(await withKey('mended', { ...GOOD_SMS, to: 'x' }), 400, 'invalid_request', [
    'to invalid_format',
  ]);

  const mended = await withKey('mended');
  expect([mended.status, mended.headers['idempotent-replayed']]).toEqual([200, undefined]);
});

test('after 48 hours a key is free again', async () => {
  const first = await withKey('old');
  await t.db.query(
    `UPDATE idempotency_key SET created_at = now() - interval '48 hours 1 second' WHERE key = 'old'`,
  );

  const next = await withKey('old', { ...GOOD_SMS, text: 'Other' });

  expect([next.status, next.headers['idempotent-replayed']]).toEqual([200, undefined]);
  expect(next.body.id).not.toBe(first.body.id);
});

test.each(['', ' '.repeat(256), 'é', 'a\tb'])(
  '%j is no idempotency key, and nothing is stored',
  async (key) => {
    const before = await t.countRows();

    expectFailure(await withKey(key), 400, 'idempotency_key_invalid');
    expectFailure(
      await t.call({ path: '/v1/webhooks', body: WEBHOOK, headers: { 'idempotency-key': key } }),
      400,
      'idempotency_key_invalid',
    );
    expect(await t.countRows()).toEqual(before);
  },
);

test('two keys are no key, and nothing is stored', async () => {
  const before = await t.countRows();

  for (const keys of [
    ['one', 'two'],
    ['one', 'one'],
  ])
    expectFailure(await withKey(keys), 400, 'idempotency_key_invalid');
  expect(await t.countRows()).toEqual(before);
  expect((await withKey('one, two')).status).toBe(200);
});

test('a repeated creation returns the same secret, which the database holds sealed only', async () => {
  const create = (): Promise<Answer<{ id: string; secret: string }>> =>
    t.call({
      path: '/v1/webhooks',
      body: { ...WEBHOOK, name: 'secret' },
      headers: { 'idempotency-key': 'create' },
    });

  const [first, second] = [await create(), await create()];

  expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
  expect(second.body).toEqual(first.body);
  const { id, secret } = first.body.data;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect((await t.call<object>({ method: 'GET', path: `/v1/webhooks/${id}` })).body.data).not.toHaveProperty(
    'secret',
  );
  expect(await tablesHolding(t, secret.slice('whsec_'.length))).toEqual([]);
});

test('a repeat whose first answer is unreadable is refused, after its body is compared', async () => {
  const create = (name: string): Promise<Answer> =>
    t.call({ path: '/v1/webhooks', body: { ...WEBHOOK, name }, headers: { 'idempotency-key': 'damaged' } });
  await create('damaged');
  await t.db.query(
    `UPDATE idempotency_key SET sealed_answer = set_byte(sealed_answer, 40, get_byte(sealed_answer, 40) # 1)
      WHERE key = 'damaged'`,
  );

  const repeat = await create('damaged');

  expectFailure(repeat, 422, 'idempotency_key_reused');
  expect(repeat.body.message).toContain('can no longer be read');
  expect((await create('other')).body.message).toContain('another body');
});

test('10 parallel creations with one key make one webhook', async () => {
  const create = (): Promise<Answer<{ secret: string }>> =>
    t.call({
      path: '/v1/webhooks',
      body: { ...WEBHOOK, name: 'once' },
      headers: { 'idempotency-key': 'once' },
    });

  const answers = await Promise.all(Array.from({ length: 10 }, create));

  const served = answers.filter(({ status }) => status === 201);
  expect(served.length + answers.filter(({ status }) => status === 409).length).toBe(10);
  expect(new Set(served.map(({ body }) => body.data.secret)).size).toBe(1);
});

test('a creation refused for its name leaves its key free', async () => {
  const create = (name: string): Promise<Answer> =>
    t.call({ path: '/v1/webhooks', body: { ...WEBHOOK, name }, headers: { 'idempotency-key': 'again' } });
  await t.call({ path: '/v1/webhooks', body: { ...WEBHOOK, name: 'taken' } });

  expectFailure(await create('taken'), 409, 'name_exists');
  expect((await create('free')).status).toBe(201);
});

test('the database holds the text of a one-time password sealed only, also of a keyed send', async () => {
  const text = 'Your code is 483920';
  await t.call({ body: { ...GOOD_SMS, type: 'OTP', text } });
  const first = await withKey('otp', { ...GOOD_SMS, type: 'OTP', text });
  const replay = await withKey('otp', { ...GOOD_SMS, type: 'OTP', text });

  expect([first.status, replay.headers['idempotent-replayed'], replay.text]).toEqual([
    200,
    'true',
    first.text,
  ]);
  expect(await tablesHolding(t, '483920')).toEqual([]);
  await t.call({ body: { ...GOOD_SMS, text } });
  expect(await tablesHolding(t, '483920')).toEqual(['submission']); // proves that the search finds it
});

/** Tables in which a row holds a text, in plain, as bytes, or in base64 of either. */
async function tablesHolding({ db }: ApiUnderTest, text: string): Promise<string[]> {
  const tables: { name: string }[] = await db.query(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const forms = [text, Buffer.from(text).toString('hex'), Buffer.from(text, 'base64').toString('hex')].map(
    (form) => `%${form}%`,
  );
  const holding: string[] = [];
  for (const { name } of tables) {
    const rows: unknown[] = await db.query(
      `SELECT FROM ${name} AS r WHERE r::text LIKE ANY($1::text[]) LIMIT 1`,
      [forms],
    );
    if (rows.length > 0) holding.push(name.replace('public.', ''));
  }
  return holding;
}
