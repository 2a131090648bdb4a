import { expect, test } from '@jest/globals';
import { hashApiKey } from '@signalbox/domain/api-key';
import { type Call, expectFailure, startSharedApi } from './api-under-test.ts';
import { locksOf } from './locks-under-test.ts';
import { type Browser, invite, newEmail, signIn } from './users-under-test.ts';

const t = await startSharedApi();
const { lockRows, untilWaiting } = locksOf(t);

interface Ids {
  user: string;
  key: string;
  webhook: string;
}

const WEBHOOK = { name: 'new', endPoint: 'http://127.0.0.1:8080/' };

/** Names of the calls whose changes outlive their caller. */
const CALLS: [string, (ids: Ids) => Call][] = [
  ['invites a user', () => ({ path: '/v1/users', body: { email: newEmail(), name: 'A', role: 'admin' } })],
  ['changes a role', ({ user }) => ({ method: 'PATCH', path: `/v1/users/${user}`, body: { role: 'admin' } })],
  ['removes a user', ({ user }) => ({ method: 'DELETE', path: `/v1/users/${user}` })],
  ['resets a password', ({ user }) => ({ path: `/v1/users/${user}/link` })],
  ['resets a second factor', ({ user }) => ({ method: 'DELETE', path: `/v1/users/${user}/totp` })],
  ['creates a key', () => ({ path: '/v1/api-keys', body: { name: 'new', scopes: ['manage'] } })],
  [
    'renames a key',
    ({ key }) => ({ method: 'PATCH', path: `/v1/api-keys/${key}`, body: { name: 'renamed' } }),
  ],
  ['rotates a key', ({ key }) => ({ path: `/v1/api-keys/${key}/rotate`, body: { overlapHours: 1 } })],
  ['revokes a key', ({ key }) => ({ method: 'DELETE', path: `/v1/api-keys/${key}` })],
  ['creates a webhook', () => ({ path: '/v1/webhooks', body: WEBHOOK })],
  [
    'changes a webhook',
    ({ webhook }) => ({ method: 'PATCH', path: `/v1/webhooks/${webhook}`, body: WEBHOOK }),
  ],
  ['replaces a webhook secret', ({ webhook }) => ({ path: `/v1/webhooks/${webhook}/rotate-secret` })],
  ['deletes a webhook', ({ webhook }) => ({ method: 'DELETE', path: `/v1/webhooks/${webhook}` })],
];

/** Names of what ends while the body of a call arrives, the statement that ends it, and the code of the refusal. */
const ENDINGS: [string, { statement: string; code: string }][] = [
  ['session', { statement: 'DELETE FROM user_session WHERE user_id = $1', code: 'session_expired' }],
  [
    'role',
    { statement: `UPDATE user_account SET role = 'editor' WHERE user_id = $1`, code: 'session_expired' },
  ],
  ['API key', { statement: 'UPDATE api_key SET revoked_at = now() WHERE id = $1', code: 'api_key_invalid' }],
];

test.each(ENDINGS.flatMap(([lost, ending]) => CALLS.map(([name, call]) => ({ lost, ending, name, call }))))(
  'a call that $name is refused once the $lost of its caller has ended',
  async ({ lost, ending, name, call }) => {
    const account = `${lost} ${name}`;
    const ids = await setUp(account);
    const caller = await (lost === 'API key' ? withKey(account) : withSession(account));
    await using lock = await lockRows(`SELECT FROM account WHERE name = '${account}' FOR NO KEY UPDATE`);

    const answer = caller.call(call(ids));
    await untilWaiting('api', 1);
    await t.db.query(ending.statement, [caller.id]);
    const before = await stored();
    await lock.release();

    expectFailure(await answer, 401, ending.code);
    expect(await stored()).toEqual(before);
  },
);

const GATEWAY = { name: 'new', channel: 'sms', kind: 'simulator', enabled: false };

/** Names of the calls of operators whose changes outlive them. */
const OPERATOR_CALLS: [string, (ids: { account: string; route: string }) => Call][] = [
  ['creates a gateway', () => ({ path: '/v1/gateways', body: GATEWAY })],
  [
    'changes a gateway',
    () => ({ method: 'PATCH', path: '/v1/gateways/old', body: { ratePerSecond: 1, enabled: false } }),
  ],
  ['deletes a gateway', () => ({ method: 'DELETE', path: '/v1/gateways/old' })],
  ['creates a route', () => ({ path: '/v1/routes', body: { name: 'new', targets: [{ gateway: 'old' }] } })],
  [
    'changes a route',
    ({ route }) => ({ method: 'PATCH', path: `/v1/routes/${route}`, body: { enabled: false } }),
  ],
  ['creates an account', () => ({ path: '/v1/accounts', body: { name: 'new' } })],
  [
    'changes an account',
    ({ account }) => ({ method: 'PATCH', path: `/v1/accounts/${account}`, body: { status: 'suspended' } }),
  ],
  ['pauses an account', ({ account }) => ({ path: `/v1/lanes/${account}/pause` })],
];

test.each(OPERATOR_CALLS)(
  'a call that %s is refused once the session of its operator has ended',
  async (_, call) => {
    const [operator, ids] = [await signIn(t, 'operator'), await setUpRouting()];
    await using lock = await lockRows(`SELECT FROM account FOR NO KEY UPDATE`);

    const answer = operator.call(call(ids));
    await untilWaiting('api', 1);
    await t.db.query('DELETE FROM user_session WHERE user_id = $1', [await idOfUser(operator.email)]);
    const before = await storedRouting();
    await lock.release();

    expectFailure(await answer, 401, 'session_expired');
    expect(await storedRouting()).toEqual(before);
  },
);

test('the repeat of a call is refused once the session of its caller has ended', async () => {
  const { id, call } = await withSession('Repeats');
  const creation = {
    path: '/v1/api-keys',
    headers: { 'idempotency-key': 'first' },
    body: { name: 'new', scopes: ['manage'] },
  };
  const first = await call(creation);
  await using lock = await lockRows(`SELECT FROM account WHERE name = 'Repeats' FOR NO KEY UPDATE`);

  const repeat = call(creation);
  await untilWaiting('api', 1);
  await t.db.query('DELETE FROM user_session WHERE user_id = $1', [id]);
  await lock.release();

  expect(first.status).toBe(201);
  expectFailure(await repeat, 401, 'session_expired');
});

/** An account with a user, a key and a webhook. */
async function setUp(account: string): Promise<Ids> {
  const { email } = await invite(t, 'editor', account);
  const apikey = await t.addKey(account, ['manage', 'webhooks']); // an admin may rotate it
  const webhook = await t.call<{ id: string }>({
    path: '/v1/webhooks',
    headers: { apikey },
    body: { ...WEBHOOK, name: 'old' },
  });
  return { user: await idOfUser(email), key: await idOfKey(apikey), webhook: webhook.body.data.id };
}

/** The id of a caller, and its calls. */
interface TestCaller {
  id: string;
  call: Browser['call'];
}

async function withKey(account: string): Promise<TestCaller> {
  const apikey = await t.addKey(account);
  return { id: await idOfKey(apikey), call: (call) => t.call({ ...call, headers: { apikey } }) };
}

async function withSession(account: string): Promise<TestCaller> {
  const { email, call } = await signIn(t, 'admin', account);
  return { id: await idOfUser(email), call };
}

async function idOfUser(email: string): Promise<string> {
  const [row] = (await t.db.query('SELECT id FROM app_user WHERE email = $1', [email])) as [{ id: string }];
  return row.id;
}

async function idOfKey(key: string): Promise<string> {
  const found = await t.db.query('SELECT id FROM api_key WHERE hash = $1', [hashApiKey(key)]);
  return (found as [{ id: string }])[0].id;
}

/** The gateway `old` with a route. */
async function setUpRouting(): Promise<{ account: string; route: string }> {
  await t.call({ path: '/v1/gateways', body: { ...GATEWAY, name: 'old' } });
  await t.call({ path: '/v1/routes', body: { name: 'old', targets: [{ gateway: 'old' }] } });
  const [ids] = (await t.db.query(
    `SELECT (SELECT id FROM account LIMIT 1) AS account, (SELECT id FROM route WHERE name = 'old') AS route`,
  )) as [{ account: string; route: string }];
  return ids;
}

function storedRouting(): Promise<unknown> {
  return t.db.query(`
    SELECT (SELECT jsonb_agg(a ORDER BY id) FROM account a) AS accounts,
           (SELECT jsonb_agg(g ORDER BY id) FROM gateway g) AS gateways,
           (SELECT jsonb_agg(r ORDER BY id) FROM route r) AS routes`);
}

function stored(): Promise<unknown> {
  return t.db.query(`
    SELECT (SELECT jsonb_agg(u ORDER BY id) FROM app_user u) AS users,
           (SELECT jsonb_agg(ua ORDER BY user_id) FROM user_account ua) AS members,
           (SELECT jsonb_agg(l ORDER BY user_id) FROM sign_in_link l) AS links,
           (SELECT jsonb_agg(to_jsonb(k) - 'last_used_at' ORDER BY id) FROM api_key k) AS keys,
           (SELECT jsonb_agg(w ORDER BY id) FROM webhook w) AS webhooks`);
}
