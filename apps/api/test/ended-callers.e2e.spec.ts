import { expect, test } from '@jest/globals';
import { hashApiKey } from '@signalbox/domain/api-key';
import { type Call, expectFailure, startSharedApi } from './api-under-test.ts';
import { locksOf } from './locks-under-test.ts';
import { BODY } from './templates-under-test.ts';
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

const CONFIG = { name: 'new', sender: 'ACME', text: '{{code}} is your code.' };
const TEMPLATE = { name: 'new', category: 'UTILITY', components: [BODY] };

/** Names of the calls that change what an account sends with. */
const SENDING_CALLS: [string, (ids: { chatAccount: number; template: string; config: string }) => Call][] = [
  ['creates a chat account', () => ({ path: '/v1/chat-accounts', body: { name: 'new' } })],
  [
    'changes a chat account',
    ({ chatAccount }) => ({ method: 'PATCH', path: `/v1/chat-accounts/${chatAccount}`, body: { name: 'b' } }),
  ],
  [
    'deletes a chat account',
    ({ chatAccount }) => ({ method: 'DELETE', path: `/v1/chat-accounts/${chatAccount}` }),
  ],
  [
    'adds a sender',
    ({ chatAccount }) => ({
      path: `/v1/chat-accounts/${chatAccount}/senders`,
      body: { msisdn: '919800000077' },
    }),
  ],
  [
    'creates a template',
    ({ chatAccount }) => ({
      path: '/v1/chatapp/createChatTemplate',
      body: { ...TEMPLATE, chatAccountId: chatAccount },
    }),
  ],
  [
    'deletes a template',
    ({ template }) => ({ path: '/v1/chatapp/deleteChatTemplate', body: { id: template } }),
  ],
  [
    'reviews a template',
    ({ template }) => ({
      path: '/v1/chatapp/reviewChatTemplate',
      body: { id: template, decision: 'reject', reason: 'no' },
    }),
  ],
  ['creates a verification configuration', () => ({ path: '/v1/verify/configs', body: CONFIG })],
  [
    'changes a verification configuration',
    ({ config }) => ({ method: 'PATCH', path: `/v1/verify/configs/${config}`, body: { name: 'b' } }),
  ],
  [
    'deletes a verification configuration',
    ({ config }) => ({ method: 'DELETE', path: `/v1/verify/configs/${config}` }),
  ],
];

test.each(SENDING_CALLS)(
  'a call that %s is refused once the session of its caller has ended',
  async (name, call) => {
    const [caller, ids] = [await withSession(name), await setUpSending(name)];
    await using lock = await lockRows(`SELECT FROM account WHERE name = '${name}' FOR NO KEY UPDATE`);

    const answer = caller.call(call(ids));
    await untilWaiting('api', 1);
    await t.db.query('DELETE FROM user_session WHERE user_id = $1', [caller.id]);
    const before = await storedSending();
    await lock.release();

    expectFailure(await answer, 401, 'session_expired');
    expect(await storedSending()).toEqual(before);
  },
);

/** A chat account with a template, and a verification configuration. */
async function setUpSending(
  account: string,
): Promise<{ chatAccount: number; template: string; config: string }> {
  const headers = { apikey: await t.addKey(account) };
  const create = async <I>(path: string, body: object): Promise<I> =>
    (await t.call<{ id: I }>({ path, headers, body })).body.data.id;
  const chatAccount = await create<number>('/v1/chat-accounts', { name: 'old' });
  const body = { ...TEMPLATE, name: 'old', chatAccountId: chatAccount };
  const template = (await t.call({ path: '/v1/chatapp/createChatTemplate', headers, body })).body.id;
  return { chatAccount, template, config: await create('/v1/verify/configs', { ...CONFIG, name: 'old' }) };
}

function storedSending(): Promise<unknown> {
  return t.db.query(`
    SELECT (SELECT jsonb_agg(ca ORDER BY id) FROM chat_account ca) AS chat_accounts,
           (SELECT jsonb_agg(cs ORDER BY msisdn) FROM chat_sender cs) AS senders,
           (SELECT jsonb_agg(e ORDER BY id) FROM template_event e) AS templates,
           (SELECT jsonb_agg(c ORDER BY id) FROM verification_config c) AS configs`);
}

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
