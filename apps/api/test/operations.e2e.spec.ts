import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { noteRowFailures } from '@signalbox/database/ops/row-failures';
import { setAside } from '@signalbox/database/submissions/set-aside';
import { accept, newReport } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import {
  type Answer,
  type ApiUnderTest,
  GOOD_SMS,
  expectFailure,
  startApi,
  startSharedApi,
} from './api-under-test.ts';
import { newEmail, signIn } from './users-under-test.ts';

interface Parked {
  id: string;
  messageId: string | null;
  starts: number;
  problem: string | null;
}
interface Account {
  id: string;
  status: string;
  pausedAt: string | null;
  limits: { name: string; max: number; isDefault: boolean }[];
}
interface Backlog {
  accountId: string;
  lane: string;
  ready: number;
  scheduled: number;
}

const t = await startSharedApi();

const get = <D>(path: string): Promise<Answer<D>> => t.call<D>({ method: 'GET', path: `/v1${path}` });
const post = <D = { rows: number }>(path: string, body?: object): Promise<Answer<D>> =>
  t.call<D>({ path: `/v1${path}`, body });

/** Stores a message that was started ten times. */
async function parkMessage(): Promise<string> {
  const { id } = (await t.call({ body: GOOD_SMS })).body;
  await t.db.query(
    `INSERT INTO message (submission_id, n, account_id, lane, recipient, status, credits, starts, claimed_until, due_at)
     SELECT id, 1, account_id, lane, recipients[1], 'PENDING', 1, 10, now(), 'infinity' FROM submission WHERE id = $1`,
    [id],
  );
  return `${id}:1`;
}

async function messageRow(messageId: string): Promise<object> {
  const [row] = await t.db.query(
    `SELECT status, starts, err_code, due_at <= now() AS due FROM message WHERE submission_id = $1`,
    [messageId.split(':')[0]],
  );
  return row as object;
}

test('parked messages are listed with their last error, freed, and discarded with a report', async () => {
  const [freed, discarded, kept] = [await parkMessage(), await parkMessage(), await parkMessage()];
  await noteRowFailures(t.db, 'message', [freed.split(':')[0]!], 'cannot send to 919800000100');

  const { data } = (await get<Parked[]>('/parked')).body;
  expect(data.map(({ id }) => id)).toEqual([freed, discarded, kept]);
  expect(data[0]).toMatchObject({ starts: 10, messageId: freed, problem: 'cannot send to ********0100' });
  expect((await get<{ message: number }>('/parked/counts')).body.data.message).toBe(3);

  const free = { kind: 'message', ids: [freed] };
  expect((await post('/parked/free', { ...free, dryRun: true })).body.data).toMatchObject({ rows: 1 });
  expect(await messageRow(freed)).toMatchObject({ starts: 10 });
  expect((await post('/parked/free', free)).body.data).toMatchObject({ rows: 1 });
  expect(await messageRow(freed)).toMatchObject({ status: 'PENDING', starts: 0, due: true });
  expect((await post('/parked/free', free)).body.data).toMatchObject({ rows: 0 });

  await post('/parked/discard', { kind: 'message', ids: [discarded], reason: 'Its key is lost.' });
  expect(await messageRow(discarded)).toMatchObject({ status: 'FAILED', err_code: '902' });
  const events = await t.db.query(`SELECT status FROM message_event WHERE submission_id = $1`, [
    discarded.split(':')[0],
  ]);
  expect(events).toEqual([{ status: 'FAILED' }]);

  const all = { kind: 'message' };
  expect((await post('/parked/free', { ...all, accountId: randomUUIDv7() })).body.data).toMatchObject({
    rows: 0,
  });
  expect((await post('/parked/free', { ...all, dryRun: true })).body.data).toMatchObject({ rows: 1 });
  expect((await post('/parked/free', all)).body.data).toMatchObject({ rows: 1 });
  expect(await messageRow(kept)).toMatchObject({ starts: 0 });
});

test('parked rows of every kind are listed in pages, freed and discarded', async () => {
  await t.db.query(`INSERT INTO chat_account (account_id, name) SELECT id, 'x' FROM account LIMIT 1`);
  const store = async (): Promise<void> => {
    await setAside(t.db, 'sms', (await accept(t.db)).id);
    const { gateway, errCode, description } = newReport(randomUUIDv7());
    await t.db.query(
      `INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at, starts, due_at)
       VALUES (uuidv7(), $1, uuidv7(), 1, 'DELIVERED', $2, $3, now(), 10, 'infinity')`,
      [gateway, errCode, description],
    );
    await t.db.query(
      `INSERT INTO template (id, account_id, chat_account_id, name, language, status, category, version, submitted_at, starts, created_at, updated_at)
       SELECT uuidv7(), account_id, id, gen_random_uuid()::text, 'en', 'PENDING', 'UTILITY', 1, now(), 10, now(), now() FROM chat_account LIMIT 1`,
    );
    await t.db.query(
      `INSERT INTO callback (id, gateway, body, starts) VALUES (uuidv7(), 'chat-simulator', '', 10)`,
    );
    await t.db.query(
      `INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, expires_at, starts)
       VALUES (uuidv7(), uuidv7(), uuidv7(), uuidv7(), '919800000100', '91', false, 5, now() + interval '5 minutes', 10)`,
    );
  };
  for (const _ of [1, 2]) await store();

  for (const kind of ['submission', 'report', 'template', 'callback', 'verification']) {
    const first = await get<Parked[]>(`/parked?kind=${kind}&limit=1`);
    const second = await get<Parked[]>(`/parked?kind=${kind}&limit=1&cursor=${first.body.nextCursor}`);
    const ids = [first, second].map(({ body }) => body.data[0]?.id ?? '');
    expect([new Set(ids).size, second.body.nextCursor]).toEqual([2, null]);
    const discard = { kind, ids: ids.slice(0, 1), reason: 'Not needed.' };
    expect((await post('/parked/discard', discard)).body.data).toMatchObject({ rows: 1 });
    expect((await post('/parked/free', { kind })).body.data).toMatchObject({ rows: 1 });
  }

  expect(Object.values((await get<object>('/parked/counts')).body.data)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await t.db.query(`SELECT rejection_reason FROM template WHERE status = 'REJECTED'`)).toEqual([
    { rejection_reason: 'Not needed.' },
  ]);
  expectFailure(await post('/parked/free', { kind: 'message', ids: ['x'] }), 400, 'invalid_request', [
    'ids[0] invalid_format',
  ]);
  expectFailure(await post('/parked/discard', { kind: 'report' }), 400, 'invalid_request', [
    'reason required',
  ]);
});

test('an account is found, changed and suspended', async () => {
  const key = await t.addKey('Changed', ['send']);
  const find = async (): Promise<Account> => (await get<Account[]>('/accounts?q=chang')).body.data[0]!;
  const { id } = await find();
  const change = (body: object): Promise<Answer<Account>> =>
    t.call<Account>({ method: 'PATCH', path: `/v1/accounts/${id}`, body });

  const { data } = (await change({ limits: { webhooks: 7 }, smsPerSecond: 9, status: 'suspended' })).body;
  expect(data.limits).toContainEqual({ name: 'webhooks', max: 7, isDefault: false });
  await waitFor(async () => (await t.call({ body: GOOD_SMS, headers: { apikey: key } })).status === 403, {
    otherwise: 'its key still works',
  });
  expect((await change({ limits: { webhooks: null }, status: 'active' })).body.data.limits).toContainEqual({
    name: 'webhooks',
    max: 50,
    isDefault: true,
  });

  expectFailure(await change({ limits: { cows: 1 } }), 400, 'invalid_request', ['limits.cows unknown_limit']);
  expectFailure(await change({ limits: { webhooks: -1 } }), 400, 'invalid_request', [
    'limits.webhooks out_of_range',
  ]);
  expectFailure(await get(`/accounts/${randomUUIDv7()}`), 404, 'account_not_found');
  expectFailure(await get('/accounts/x'), 404, 'account_not_found');
});

test('an account is created once, empty and with its limits, and an operator can act in it', async () => {
  const body = { name: 'Created', smsPerSecond: 5, limits: { webhooks: 3, users: null } };
  const headers = { 'idempotency-key': 'created once' };
  const create = () => t.call<Account>({ path: '/v1/accounts', body, headers });

  const { status, body: created } = await create();
  expect([status, created.data.id]).toEqual([201, (await create()).body.data.id]);
  expect(created.data).toMatchObject({ name: 'Created', smsPerSecond: 5, keys: 0, users: 0 });
  expect((await get<Account>(`/accounts/${created.data.id}`)).body.data).toEqual({
    ...created.data,
    createdAt: expect.any(String),
  });
  expect(created.data.limits).toContainEqual({ name: 'webhooks', max: 3, isDefault: false });
  expectFailure(await post('/accounts', { name: ' Created ' }), 409, 'name_exists');
  expectFailure(await post('/accounts', { name: ' ' }), 400, 'invalid_request', ['name blank']);

  const operator = await signIn(t, 'operator');
  await operator.call({
    method: 'PUT',
    path: '/v1/session/account',
    body: { accountId: created.data.id },
  });
  await operator.call({ path: '/v1/users', body: { email: newEmail(), name: 'First', role: 'admin' } });
  expect((await get<Account>(`/accounts/${created.data.id}`)).body.data).toMatchObject({ users: 1 });
});

test('two accounts never have one name', async () => {
  const create = (name: string) => t.call<Account>({ path: '/v1/accounts', body: { name } });
  const raced = await Promise.all(Array.from({ length: 10 }, () => create('Raced')));
  expect(raced.filter(({ status }) => status === 201)).toHaveLength(1);

  const { id } = (await create('Renamed')).body.data;
  const rename = (name: string) =>
    t.call<Account>({ method: 'PATCH', path: `/v1/accounts/${id}`, body: { name } });

  expectFailure(await rename('Raced'), 409, 'name_exists');
  expect((await rename('Renamed')).status).toBe(200);
  expectFailure(
    await t.call({ method: 'PATCH', path: `/v1/accounts/${randomUUIDv7()}`, body: { name: 'Raced' } }),
    404,
    'account_not_found',
  );
});

test('actions on parked rows and jobs stop at their limit', async () => {
  const parked = [await parkMessage(), await parkMessage(), await parkMessage()];
  const free = (limit: number) => post('/parked/free', { kind: 'message', limit });

  expect((await free(2)).body.data.rows).toBe(2);
  expect((await free(2)).body.data.rows).toBe(1);
  expect(await messageRow(parked[2]!)).toMatchObject({ starts: 0 });
});

test('the messages of a paused account wait on every lane, and those of others are sent', async () => {
  await using own = await startApi({ workers: ['sms'], env: { SIMULATOR_DELAY_MS: '0' } });
  const other = await own.addKey('Other');
  const send = async (type: string, headers = {}): Promise<string> =>
    (await own.call({ body: { ...GOOD_SMS, type }, headers })).body.id;
  const row = async (id: string): Promise<{ out: boolean; old: boolean }> => {
    const rows = await own.db.query(
      `SELECT fanned_out_at IS NOT NULL AS out, accepted_at < now() - interval '5 seconds' AS old FROM submission WHERE id = $1`,
      [id],
    );
    return (rows as { out: boolean; old: boolean }[])[0]!;
  };
  const [{ accountId }] = (await own.db.query(
    `SELECT account_id AS "accountId" FROM api_key ORDER BY created_at, id LIMIT 1`,
  )) as [{ accountId: string }];
  await own.call({ path: `/v1/lanes/${accountId}/pause` });
  await waitFor(async () => !(await row(await send('PROMO'))).out && (await heldFor(own)) >= 1, {
    otherwise: 'the pause is not in force',
  });

  const held = [await send('TRANS'), await send('OTP')];
  const sent = await send('TRANS', { apikey: other });
  await waitFor(async () => (await row(sent)).out, { otherwise: 'the other account waits too' });
  await waitFor(async () => (await row(held[1]!)).old, { otherwise: 'it did not get old' });
  for (const id of held) expect(await row(id)).toMatchObject({ out: false });
  const { data } = (await own.call<{ backlogs: Backlog[] }>({ method: 'GET', path: '/v1/lanes' })).body;
  expect(data.backlogs).toContainEqual(expect.objectContaining({ accountId, lane: 'OTP', ready: 1 }));

  await own.call({ path: `/v1/lanes/${accountId}/resume` });
  await waitFor(async () => (await Promise.all(held.map(row))).every(({ out }) => out), {
    otherwise: 'they are not sent',
  });
});

/** Promotions that were ready for three seconds and were not taken. */
async function heldFor(own: ApiUnderTest): Promise<number> {
  const [row] = await own.db.query(
    `SELECT count(*)::integer AS count FROM submission WHERE lane = 'PROMO' AND fanned_out_at IS NULL AND accepted_at < now() - interval '3 seconds'`,
  );
  return (row as { count: number }).count;
}

test('a paused account pauses its chat senders, also those that it adds', async () => {
  await t.addKey('Chatty');
  const [{ id }] = (await get<Account[]>('/accounts?q=chatty')).body.data as [Account];
  await t.db.query(
    `WITH ca AS (INSERT INTO chat_account (account_id, name) VALUES ($1, 'x') RETURNING id)
     INSERT INTO chat_sender (msisdn, chat_account_id, account_id) SELECT '15550100042', id, $1 FROM ca`,
    [id],
  );
  const paced = async (): Promise<unknown> =>
    t.db.query(`SELECT paced_until = 'infinity' AS paused FROM chat_sender WHERE account_id = $1`, [id]);

  expect((await post<Account>(`/lanes/${id}/pause`)).body.data.pausedAt).toEqual(expect.any(String));
  expect(await paced()).toEqual([{ paused: true }]);
  expect((await post<Account>(`/lanes/${id}/resume`)).body.data.pausedAt).toBeNull();
  expect(await paced()).toEqual([{ paused: false }]);
  expectFailure(await post(`/lanes/${randomUUIDv7()}/pause`), 404, 'account_not_found');
});

test('scheduled sends are shown by lane, in pages of accounts', async () => {
  const key = await t.addKey('Scheduler');
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  await t.call({ body: { ...GOOD_SMS, type: 'PROMO', sendAt }, headers: { apikey: key } });
  const [{ id }] = (await get<Account[]>('/accounts?q=scheduler')).body.data as [Account];

  const { backlogs } = (await get<{ backlogs: Backlog[] }>('/lanes')).body.data;

  expect(backlogs).toContainEqual(expect.objectContaining({ accountId: id, lane: 'PROMO', scheduled: 1 }));
  const behind = (await get<{ backlogs: Backlog[] }>(`/lanes?after=${id}`)).body.data;
  expect(behind.backlogs.filter(({ accountId }) => accountId <= id)).toEqual([]);
});

test('the system shows its servers and migrations, and no secret', async () => {
  const { text, body } = await get<{
    queues: { isReachable: boolean };
    migrations: { pending: string[] };
    settings: { name: string; value: string | null }[];
  }>('/system');

  expect(body.data).toMatchObject({ queues: { isReachable: true }, migrations: { pending: [] } });
  expect(body.data.settings).toContainEqual({ name: 'SECRETS_KEY', value: null });
  expect(body.data.settings).toContainEqual({ name: 'OTP_PEPPER', value: null });
  const { password } = new URL(t.p.databaseUrl);
  if (password !== '') expect(text).not.toContain(password);
});

test('an endpoint in trouble is listed with its breaker and backlog', async () => {
  const webhook = await t.call<{ id: string }>({
    path: '/v1/webhooks',
    body: { name: 'troubled', endPoint: 'http://127.0.0.1/hook?token=secret' },
  });
  const webhookId = webhook.body.data.id;
  await t.db.query(
    `INSERT INTO endpoint (webhook_id, failures, failing_since, open_level, open_until)
     VALUES ($1, 12, now(), 1, now() + interval '30 seconds')`,
    [webhookId],
  );
  await t.db.query(
    `INSERT INTO push (report_id, webhook_id, account_id, status, attempts, next_attempt_at) VALUES ($1, $2, $1, 'WAITING', 2, now())`,
    [randomUUIDv7(), webhookId],
  );

  const { text, body } = await get<object[]>('/endpoints?state=open');

  expect(body.data).toMatchObject([
    { webhookId, state: 'open', failures: 12, backlog: 1, origin: 'http://127.0.0.1' },
  ]);
  expect(text).not.toContain('token');
  expect((await get<object[]>('/endpoints?state=half_open')).body.data).toEqual([]);
});

test('operations need the scope ops', async () => {
  const headers = { apikey: await t.addKey('Tenant', ['send', 'manage']) };
  for (const path of ['/v1/lanes', '/v1/parked', '/v1/accounts', '/v1/system', '/v1/endpoints'])
    expectFailure(await t.call({ method: 'GET', path, headers }), 403, 'scope_missing');
});
