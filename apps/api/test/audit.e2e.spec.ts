import { expect, test } from '@jest/globals';
import { insertAuditEvent } from '@signalbox/database/users/audit';
import { type Answer, type Call, GOOD_SMS, expectFailure, startSharedApi } from './api-under-test.ts';
import { PASSWORD, newEmail, signIn } from './users-under-test.ts';

interface Event {
  id: string;
  at: string;
  actor: string;
  actorName: string;
  action: string;
  summary: string | null;
  target: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  address: string;
}

const t = await startSharedApi();

const ME = { method: 'GET', path: '/v1/me' };
const NUMBER = '919876543210';
const FROM = { 'x-forwarded-for': '198.51.100.9' };
const WEBHOOK = { name: 'Audited', endPoint: 'https://198.41.0.4/reports?secret=abc' };

let accounts = 0;
/** A new account with an admin, who calls from a known address. */
async function openAccount() {
  accounts += 1;
  const account = `Audited ${accounts}`;
  const admin = await signIn(t, 'admin', account);
  const call = <D = { id: string }>(given: Call): Promise<Answer<D>> =>
    admin.call<D>({ ...given, headers: { ...FROM, ...given.headers } });
  const page = async (query = ''): Promise<Answer<Event[]>> =>
    call<Event[]>({ method: 'GET', path: `/v1/audit${query && `?${query}`}` });
  const events = async (query = ''): Promise<Event[]> => (await page(query)).body.data;
  const { id, accountId } = (await call<{ id: string; accountId: string }>({ method: 'GET', path: '/v1/me' }))
    .body.data;
  return { account, accountId, adminId: id, call, page, events };
}

test('a row names who changed what from where, with the members before and after', async () => {
  const { adminId, call, events } = await openAccount();
  const invited = await call({ path: '/v1/users', body: { email: newEmail(), name: 'Eve', role: 'editor' } });
  const { id } = invited.body.data;
  await call({ method: 'PATCH', path: `/v1/users/${id}`, body: { role: 'viewer' } });

  const [changed, created, signedIn, ...rest] = await events();

  const who = { actor: `user:${adminId}`, actorName: 'The admin', address: '198.51.100.9' };
  expect(changed).toMatchObject({
    ...who,
    action: 'changeUser',
    summary: 'Change a user',
    target: id,
    before: { role: 'editor', status: 'invited' },
    after: { role: 'viewer', status: 'invited' },
  });
  expect(created).toMatchObject({
    ...who,
    action: 'createUser',
    target: id,
    after: { name: 'Eve', role: 'editor' },
  });
  expect(signedIn).toMatchObject({ ...who, action: 'useSignInLink', address: '127.0.0.1' });
  expect(rest.map(({ actor, action }) => [actor, action])).toEqual([['cli', 'createUser']]);
  expect(Math.abs(Date.parse(changed!.at) - Date.now())).toBeLessThan(600_000);
});

test('each write by a user leaves a row, and no read, dry run or failure does', async () => {
  const { call, events } = await openAccount();
  const before = (await events()).length;
  const webhook = await call({ path: '/v1/webhooks', body: WEBHOOK });
  const path = `/v1/webhooks/${webhook.body.data.id}`;
  const key = await call({ path: '/v1/api-keys', body: { name: 'Audited', scopes: ['send'] } });
  const writes: [Call, string][] = [
    [{ path: '/v1/sms', body: GOOD_SMS }, 'sendSms'],
    [{ method: 'PATCH', path, body: { name: 'Renamed' } }, 'changeWebhook'],
    [{ method: 'DELETE', path }, 'deleteWebhook'],
    [{ method: 'DELETE', path: `/v1/api-keys/${key.body.data.id}` }, 'revokeApiKey'],
    [{ method: 'PUT', path: '/v1/session/password', body: { newPassword: PASSWORD } }, 'changePassword'],
  ];
  for (const [write] of writes) expect((await call(write)).status).toBe(200);
  await call({ method: 'GET', path: '/v1/webhooks' });
  await call({ path: '/v1/sms?dryRun=true', body: GOOD_SMS });
  await call({ path: '/v1/sms', body: { ...GOOD_SMS, to: 'nobody' } });
  await call({ method: 'DELETE', path });

  const found = (await events()).slice(0, -before).map(({ action }) => action);

  expect(found.toReversed()).toEqual([
    'createWebhook',
    'createApiKey',
    ...writes.map(([, action]) => action),
  ]);
});

test('a dry run that the body asks for leaves no row, and does not cost one', async () => {
  const operator = await signIn(t, 'operator');
  const webhook = await operator.call<{ id: string }>({ path: '/v1/webhooks', body: WEBHOOK });
  const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
  const runs: [path: string, body: object, points: number][] = [
    ['/v1/parked/free', { kind: 'report' }, 1],
    ['/v1/queues/sms-promo/retry', {}, 1],
    ['/v1/messages/cancel', { filter: { sender: 'SHOP' } }, 50],
    [`/v1/webhooks/${webhook.body.data.id}/replay`, range, 50],
  ];
  const left = ({ headers }: Answer) => Number(/r=(\d+)/.exec(String(headers['ratelimit']))![1]);
  const charged: [number, number][] = [];

  for (const [path, body] of runs) {
    const before = left(await operator.call(ME));
    const answer = await operator.call({ path, body: { ...body, dryRun: true } });
    charged.push([answer.status, before - left(answer)]);
  }

  const events = await operator.call<Event[]>({ method: 'GET', path: '/v1/audit?limit=1' });
  expect([charged, events.body.data[0]?.action]).toEqual([
    runs.map(([, , points]) => [200, points]),
    'createWebhook',
  ]);
});

test('a write whose body has a field dryRun that it does not know leaves its row', async () => {
  const { call, events } = await openAccount();

  expect((await call({ path: '/v1/webhooks', body: { ...WEBHOOK, dryRun: true } })).status).toBe(201);

  expect((await events())[0]).toMatchObject({ action: 'createWebhook' });
});

test('nothing is created without its row', async () => {
  const { accountId, call } = await openAccount();
  const webhooks = () => t.db.query('SELECT name FROM webhook WHERE account_id = $1', [accountId]);
  await t.db.query(
    `ALTER TABLE audit_event ADD CONSTRAINT no_webhooks CHECK (action <> 'createWebhook') NOT VALID`,
  );
  try {
    expect((await call({ path: '/v1/webhooks', body: WEBHOOK })).status).toBeGreaterThanOrEqual(400);
    expect(await webhooks()).toEqual([]);
  } finally {
    await t.db.query('ALTER TABLE audit_event DROP CONSTRAINT no_webhooks');
  }
  expect((await call({ path: '/v1/webhooks', body: WEBHOOK })).status).toBe(201);
  expect(await webhooks()).toEqual([{ name: WEBHOOK.name }]);
});

test('a key leaves rows where it has the scope manage or ops, except for its sends', async () => {
  const { account, call, events } = await openAccount();
  const byKey = async (scopes: Parameters<typeof t.addKey>[1]): Promise<void> => {
    const apikey = await t.addKey(account, scopes);
    for (const write of [
      { path: '/v1/sms', body: GOOD_SMS },
      { path: '/v1/webhooks', body: { ...WEBHOOK, name: `By ${scopes?.join(' ')}` } },
    ])
      expect((await t.call({ ...write, headers: { apikey } })).status).toBeLessThan(300);
  };
  await byKey(['send', 'webhooks']);
  await byKey(['send', 'webhooks', 'manage']);

  const found = await events();

  expect(found.slice(0, -2).map(({ actor, action, after }) => [actor, action, after])).toEqual([
    [
      expect.stringMatching(/^api-key:/),
      'createWebhook',
      expect.objectContaining({ name: 'By send webhooks manage' }),
    ],
  ]);
  expect((await call({ method: 'GET', path: '/v1/audit?actor=cli' })).body.data).toHaveLength(1);
});

test('no row holds a secret, a number or a text', async () => {
  const { call, events } = await openAccount();
  const secrets = {
    code: 492_039,
    password: PASSWORD,
    [NUMBER]: true,
    to: Number(NUMBER),
    note: `Call ${NUMBER}`,
  };
  await call({ path: '/v1/webhooks', body: { ...WEBHOOK, ...secrets, name: `For +${NUMBER}` } });
  await call({ path: '/v1/sms', body: { ...GOOD_SMS, to: NUMBER, text: 'Your code is 492039' } });
  await call({ method: 'PUT', path: '/v1/session/password', body: { newPassword: PASSWORD } });
  const offered = await call<{ secret: string }>({
    path: '/v1/session/totp',
    headers: { 'x-forwarded-for': '198.51.100.10' },
    body: { password: PASSWORD },
  });
  const key = await call<{ key: string }>({
    path: '/v1/api-keys',
    body: { name: 'Secret', scopes: ['send'] },
  });

  const shown = JSON.stringify(await events());

  for (const secret of [
    NUMBER,
    '492039',
    PASSWORD,
    'secret=abc',
    offered.body.data.secret,
    key.body.data.key,
  ])
    expect(shown).not.toContain(secret);
  expect(shown).toContain('For +********3210');
});

test('a write leaves its row, whatever its fields are called', async () => {
  const { call, events } = await openAccount();
  const cutWithinCharacter = `${'x'.repeat(199)}\u{1f600}`;
  const body = { ...WEBHOOK, [cutWithinCharacter]: true, kind: cutWithinCharacter };

  expect((await call({ path: '/v1/webhooks', body })).status).toBe(201);

  const start = `${'x'.repeat(199)}\u{fffd}`;
  const [created] = await events('action=createWebhook');
  expect(created?.after).toMatchObject({ [start]: true, kind: start });
});

test('the log is read in pages and by filters, newest first', async () => {
  const { accountId, adminId, page, events } = await openAccount();
  const rowAt = (minute: number, target: string) => ({
    id: `0199b2b6-${(0x1000 + minute).toString(16)}-7000-8000-000000000000`,
    accountId,
    actor: 'api-key:1',
    actorName: 'Old',
    action: 'changeUser',
    target,
    before: null,
    after: null,
    address: '192.0.2.1',
  });
  for (let minute = 0; minute < 5; minute += 1)
    await insertAuditEvent(t.db, rowAt(minute, `user-${minute % 2}`));

  const paged: Event[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body }: Answer<Event[]> = await page(`limit=2${cursor && `&cursor=${cursor}`}`);
    paged.push(...body.data);
    cursor = body.nextCursor;
  }
  const ids = paged.map(({ id }) => id);

  expect(ids).toEqual((await events('limit=100')).map(({ id }) => id));
  expect(ids).toEqual(ids.toSorted().toReversed());
  expect(ids).toHaveLength(7);
  expect(await events('actor=api-key:1&target=user-1')).toHaveLength(2);
  expect(await events('action=changeUser&limit=100')).toHaveLength(5);
  expect(await events(`actor=user:${adminId}`)).toHaveLength(1);
  expect(await events('from=2020-01-01T00:00:00Z&to=2025-12-31T00:00:00Z')).toHaveLength(5);
  expect(await events('from=2026-01-01T00:00:00Z')).toHaveLength(2);
  expectFailure(await page('action=x&limit=0'), 400, 'invalid_request', ['limit out_of_range']);
});

test('the log of an account is open to its admins and to keys that manage, and to nobody else', async () => {
  const { account, page } = await openAccount();
  const { nextCursor } = (await page('limit=1')).body;
  const stranger = await signIn(t, 'admin', 'Strangers');
  const read = { method: 'GET', path: '/v1/audit?limit=100' };

  for (const role of ['viewer', 'editor'] as const)
    expectFailure(await (await signIn(t, role, account)).call(read), 403, 'scope_missing');
  const sending = await t.addKey(account, ['send']);
  expectFailure(await t.call({ ...read, headers: { apikey: sending } }), 403, 'scope_missing');
  const managing = await t.addKey(account, ['manage']);
  const rows = (await t.call<Event[]>({ ...read, headers: { apikey: managing } })).body.data;
  expect(rows.length).toBeGreaterThan(2);
  const theirs = new Set((await stranger.call<Event[]>(read)).body.data.map(({ id }) => id));
  expect(rows.filter(({ id }) => theirs.has(id))).toEqual([]);
  const foreign = { method: 'GET', path: `/v1/audit?cursor=${nextCursor}` };
  expectFailure(await stranger.call(foreign), 400, 'invalid_request', ['cursor invalid_format']);
});

test('the database refuses to change, delete or truncate what is younger than a year', async () => {
  const { accountId } = await openAccount();
  const own = `WHERE account_id = '${accountId}'`;
  for (const change of [
    `UPDATE audit_event SET actor_name = 'Nobody' ${own}`,
    `UPDATE audit_event SET created_at = now() - interval '2 years' ${own}`,
    `DELETE FROM audit_event ${own}`,
    'TRUNCATE audit_event',
  ])
    await expect(t.db.query(change)).rejects.toThrow('append-only');

  expect(await t.db.query(`SELECT 1 FROM audit_event ${own}`)).toHaveLength(2);
});
