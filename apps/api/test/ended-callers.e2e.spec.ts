import { expect, test } from '@jest/globals';
import { type Call, GOOD_SMS, startSharedApi } from './api-under-test.ts';
import { type Ending, SESSION, endedCallersOf, readTables } from './ended-callers-under-test.ts';
import { makeDelivery } from './stored-entities.ts';
import { invite, newEmail } from './users-under-test.ts';

const t = await startSharedApi();
const { expectRefused, withKey, withSession, idOfUser, idOfKey } = endedCallersOf(t);

interface Ids {
  user: string;
  key: string;
  webhook: string;
  delivery: string;
  replay: string;
}

const RANGE = { from: '2026-01-01T00:00:00Z' };
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
  ['disables a webhook', ({ webhook }) => ({ path: `/v1/webhooks/${webhook}/disable` })],
  ['enables a webhook', ({ webhook }) => ({ path: `/v1/webhooks/${webhook}/enable` })],
  ['replays a delivery', ({ delivery }) => ({ path: `/v1/webhook-deliveries/${delivery}/replay` })],
  ['starts a replay', ({ webhook }) => ({ path: `/v1/webhooks/${webhook}/replay`, body: RANGE })],
  [
    'cancels a replay',
    ({ webhook, replay }) => ({ path: `/v1/webhooks/${webhook}/replays/${replay}/cancel` }),
  ],
];

/** Names of what ends while the body of a call arrives. */
const ENDINGS: [string, Ending][] = [
  ['session', SESSION],
  [
    'role',
    { statement: `UPDATE user_account SET role = 'editor' WHERE user_id = $1`, code: 'session_expired' },
  ],
  ['API key', { statement: 'UPDATE api_key SET revoked_at = now() WHERE id = $1', code: 'api_key_invalid' }],
];

const stored = (): Promise<unknown> =>
  readTables(t, ['app_user', 'user_account', 'sign_in_link', 'api_key', 'webhook', 'push', 'push_replay']);

test.each(ENDINGS.flatMap(([lost, ending]) => CALLS.map(([name, call]) => ({ lost, ending, name, call }))))(
  'a call that $name is refused once the $lost of its caller has ended',
  async ({ lost, ending, name, call }) => {
    const account = `${lost} ${name}`;
    const ids = await setUp(account);
    const caller = await (lost === 'API key' ? withKey(account) : withSession(account));

    await expectRefused(caller, call(ids), stored, ending);
  },
);

/** Names of the calls of users about themselves. */
const PERSONAL_CALLS: [string, (ids: { session: string; account: string }) => Call][] = [
  ['ends another session', ({ session }) => ({ method: 'DELETE', path: `/v1/sessions/${session}` })],
  ['ends all other sessions', () => ({ method: 'DELETE', path: '/v1/sessions' })],
  [
    'chooses an account',
    ({ account }) => ({ method: 'PUT', path: '/v1/session/account', body: { accountId: account } }),
  ],
];

test.each(PERSONAL_CALLS)('a call that %s is refused once its session has ended', async (name, call) => {
  const caller = await withSession(name, 'viewer');
  const [ids] = (await t.db.query(
    `WITH other AS (
       INSERT INTO user_session (id, hash, user_id, account_id, address, user_agent)
       SELECT uuidv7(), sha256($2), user_id, account_id, '', '' FROM user_session WHERE user_id = $1
       RETURNING id, account_id
     )
     SELECT id AS session, account_id AS account FROM other`,
    [caller.id, Buffer.from(name)],
  )) as [{ session: string; account: string }];
  const statement = `DELETE FROM user_session WHERE user_id = $1 AND hash <> sha256('${name}')`;

  await expectRefused(caller, call(ids), () => readTables(t, ['user_session', 'audit_event']), {
    ...SESSION,
    statement,
  });
});

test('the repeat of a call is refused once the session of its caller has ended', async () => {
  const caller = await withSession('Repeats');
  const creation = {
    path: '/v1/api-keys',
    headers: { 'idempotency-key': 'first' },
    body: { name: 'new', scopes: ['manage'] },
  };

  expect((await caller.call(creation)).status).toBe(201);
  await expectRefused(caller, creation, stored);
});

/** An account with a user, a key, and a webhook with a delivery and a replay. */
async function setUp(account: string): Promise<Ids> {
  const { email } = await invite(t, 'editor', account);
  const apikey = await t.addKey(account, ['manage', 'webhooks']); // an admin may rotate it
  const headers = { apikey };
  const { body } = await t.call<{ id: string }>({
    path: '/v1/webhooks',
    headers,
    body: { ...WEBHOOK, name: 'old' },
  });
  const webhook = body.data.id;
  const replay = await t.call<{ id: string }>({
    path: `/v1/webhooks/${webhook}/replay`,
    headers,
    body: RANGE,
  });
  const sent = await t.call({ headers: { apikey: await t.addKey(account) }, body: GOOD_SMS });
  return {
    user: await idOfUser(email),
    key: await idOfKey(apikey),
    webhook,
    delivery: await makeDelivery(t, sent.body.id, webhook),
    replay: replay.body.data.id,
  };
}
