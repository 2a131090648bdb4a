import { expect, test } from '@jest/globals';
import { upsertSignInLink } from '@signalbox/database/users/sessions';
import { hashToken, newToken } from '@signalbox/domain/session';
import { type Call, expectFailure, startSharedApi } from './api-under-test.ts';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import {
  FROM_PAGE,
  PASSWORD,
  invite,
  newEmail,
  signIn,
  signInWithPassword,
  useLink,
  withPasswordSet,
} from './users-under-test.ts';

interface User {
  id: string;
  role: string;
  status: string;
  hasTotp: boolean;
  linkToken: string | null;
}

const t = await startSharedApi();

const ME = { method: 'GET', path: '/v1/me' };
const idOf = async (email: string): Promise<string> =>
  ((await t.db.query(`SELECT id FROM app_user WHERE email = $1`, [email])) as [{ id: string }])[0].id;

/** A new account with an admin. */
let accounts = 0;
async function openAccount() {
  accounts += 1;
  const account = `Company ${accounts}`;
  const admin = await signIn(t, 'admin', account);
  const add = (role: string, email = newEmail()) =>
    admin.call<User>({ path: '/v1/users', body: { email, name: 'New', role } });
  const change = (id: string, body: object) =>
    admin.call<User>({ method: 'PATCH', path: `/v1/users/${id}`, body });
  return { account, admin, add, change };
}

test('a key that expires lets nobody sign in, and may remove users', async () => {
  const { admin, add } = await openAccount();
  const expiring = {
    name: 'Tool',
    scopes: ['send', 'verify', 'templates', 'webhooks', 'manage'],
    expiresAt: '2090-01-01T00:00:00Z',
  };
  const made = await admin.call<{ key: string }>({ path: '/v1/api-keys', body: expiring });
  const headers = { apikey: made.body.data.key };
  const { id } = (await add('editor')).body.data;
  const path = `/v1/users/${id}`;
  const change = (body: object) => t.call({ method: 'PATCH', path, headers, body });

  const disabled = await change({ disabled: true });
  const refused = [
    await t.call({ path: '/v1/users', headers, body: { email: newEmail(), name: 'New', role: 'viewer' } }),
    await t.call({ path: `${path}/link`, headers, body: {} }),
    await t.call({ method: 'DELETE', path: `${path}/totp`, headers }),
    await change({ role: 'viewer' }),
    await change({ disabled: false }),
  ];
  const removed = await t.call({ method: 'DELETE', path, headers });

  expect([disabled.status, removed.status]).toEqual([200, 200]);
  for (const answer of refused) expectFailure(answer, 403, 'key_expires');
});

test('an invited user signs in by the link, sets a password, and is active', async () => {
  const { admin, add } = await openAccount();
  const invited = await add('editor');
  const browser = await useLink(t, invited.body.data.linkToken!);

  const set = { method: 'PUT', path: '/v1/session/password', body: { newPassword: PASSWORD } };
  expect((await browser.call(set)).status).toBe(200);

  expect([invited.status, invited.body.data.status]).toEqual([201, 'invited']);
  const users = await admin.call<User[]>({ method: 'GET', path: '/v1/users' });
  expect(users.body.data.map(({ role, status }) => [role, status])).toEqual([
    ['editor', 'active'],
    ['admin', 'invited'],
  ]);
});

test('a new role counts with the next request', async () => {
  const { admin, account, change } = await openAccount();
  const editor = await signIn(t, 'editor', account);

  expect((await change(await idOf(editor.email), { role: 'viewer' })).body.data.role).toBe('viewer');

  expect((await editor.call(ME)).body.data).toMatchObject({ role: 'viewer', readOnly: true });
  expectFailure(
    await editor.call({ path: '/v1/webhooks', body: { name: 'x', endPoint: 'https://198.41.0.4/' } }),
    403,
    'role_read_only',
  );
  expect((await admin.call(ME)).status).toBe(200);
});

test('a disabled or removed user is signed out, and cannot sign in', async () => {
  const { admin, account, change } = await openAccount();
  const [disabled, removed] = [await signIn(t, 'editor', account), await signIn(t, 'editor', account)];
  const id = await idOf(disabled.email);

  expect((await change(id, { disabled: true })).body.data.status).toBe('disabled');
  expect(
    (await admin.call({ method: 'DELETE', path: `/v1/users/${await idOf(removed.email)}` })).status,
  ).toBe(200);

  for (const user of [disabled, removed]) expectFailure(await user.call(ME), 401, 'session_expired');
  expect(await t.db.query(`SELECT 1 FROM app_user WHERE email = $1`, [removed.email])).toEqual([]);
  expect(await t.db.query(`SELECT 1 FROM user_session WHERE user_id = $1`, [id])).toEqual([]);
  expect((await change(id, { disabled: false })).body.data.status).toBe('invited');
});

test('a disabled operator who is removed stays disabled in other accounts', async () => {
  const [here, elsewhere] = [await openAccount(), await openAccount()];
  const operator = await signIn(t, 'operator', here.account);
  const removed = await withPasswordSet(t, 'operator');
  await invite(t, 'admin', elsewhere.account, removed.email);
  const path = `/v1/users/${await idOf(removed.email)}`;
  expect((await operator.call({ method: 'PATCH', path, body: { disabled: true } })).status).toBe(200);

  expect((await operator.call({ method: 'DELETE', path })).status).toBe(200);

  expectFailure(await signInWithPassword(t, removed.email, PASSWORD), 401, 'credentials_invalid');
  const users = await elsewhere.admin.call<User[]>({ method: 'GET', path: '/v1/users' });
  expect(users.body.data).toContainEqual(
    expect.objectContaining({ email: removed.email, role: 'admin', status: 'disabled' }),
  );
});

test('the last admin is neither demoted, disabled nor removed, also by two at the same time', async () => {
  const { admin, account, change, add } = await openAccount();
  const id = await idOf((await admin.call<{ email: string }>(ME)).body.data.email);
  for (const body of [{ role: 'viewer' }, { disabled: true }])
    expectFailure(await change(id, body), 409, 'last_admin');
  expectFailure(await admin.call({ method: 'DELETE', path: `/v1/users/${id}` }), 409, 'last_admin');
  const second = (await add('admin')).body.data.id;

  const answers = await Promise.all([change(id, { role: 'viewer' }), change(second, { role: 'viewer' })]);

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const left = await t.db.query(
    `SELECT 1 FROM user_account JOIN account a ON a.id = account_id WHERE a.name = $1 AND role = 'admin'`,
    [account],
  );
  expect(left).toHaveLength(1);
});

test('an admin makes no operator, and changes none', async () => {
  const { account, admin, add, change } = await openAccount();
  const operator = await signIn(t, 'operator', account);
  await invite(t, 'viewer', account, operator.email);
  const id = await idOf(operator.email);

  expectFailure(await add('operator'), 403, 'scope_missing');
  expectFailure(await change(id, { disabled: true }), 403, 'scope_missing');
  expectFailure(await admin.call({ path: `/v1/users/${id}/link` }), 403, 'scope_missing');
  expectFailure(await admin.call({ method: 'DELETE', path: `/v1/users/${id}/totp` }), 403, 'scope_missing');
  expectFailure(await admin.call({ method: 'DELETE', path: `/v1/users/${id}` }), 403, 'scope_missing');
  expect((await operator.call(ME)).body.data).toMatchObject({ role: 'operator' });
});

test('no admin takes over a user of another account', async () => {
  const [mine, theirs] = [await openAccount(), await openAccount()];
  const shared = await signIn(t, 'editor', theirs.account);
  const { token } = await invite(t, 'editor', mine.account, shared.email);
  const now = await useLink(t, token);
  const id = await idOf(shared.email);
  const alone = await signIn(t, 'editor', theirs.account);

  expectFailure(await mine.add('admin', alone.email), 409, 'user_exists');
  expectFailure(await mine.change(await idOf(alone.email), { role: 'viewer' }), 404, 'user_not_found');
  expectFailure(await mine.admin.call({ path: `/v1/users/${id}/link` }), 403, 'user_of_others');
  expectFailure(
    await mine.admin.call({ method: 'DELETE', path: `/v1/users/${id}/totp` }),
    403,
    'user_of_others',
  );
  expect((await mine.change(id, { disabled: true })).status).toBe(200);
  expect((await now.call(ME)).body.data).toMatchObject({ accountName: theirs.account });
});

test('whoever invited a user first cannot sign in as the user whom an operator adds elsewhere', async () => {
  const { account } = await openAccount();
  const squatter = await withPasswordSet(t, 'admin');
  await t.db.query(`UPDATE app_user SET sealed_totp = '\\x01' WHERE email = $1`, [squatter.email]);
  const operator = await signIn(t, 'operator', account);
  const body = { email: squatter.email, name: 'New', role: 'admin' };

  const added = await operator.call<User>({ path: '/v1/users', body });

  expect([added.status, added.body.data]).toMatchObject([
    201,
    { status: 'invited', role: 'admin', hasTotp: false },
  ]);
  expectFailure(await squatter.call(ME), 401, 'session_expired');
  expectFailure(await signInWithPassword(t, squatter.email, PASSWORD), 401, 'credentials_invalid');
  const owner = await useLink(t, added.body.data.linkToken!);
  expect((await owner.call(ME)).body.data).toMatchObject({ email: squatter.email });
});

test('an operator signs in as before in another account', async () => {
  const { account } = await openAccount();
  const [operator, other] = [await signIn(t, 'operator', account), await withPasswordSet(t, 'operator')];
  const body = { email: other.email, name: 'New', role: 'viewer' };

  const added = await operator.call<User>({ path: '/v1/users', body });

  expect([added.status, added.body.data.linkToken]).toEqual([201, null]);
  expect((await other.call(ME)).body.data).toMatchObject({ hasPassword: true });
});

test.each<[string, (email: string) => Promise<void>]>([
  [
    'whom an operator adds to another account',
    async (email) => {
      const operator = await signIn(t, 'operator');
      const added = await operator.call<User>({
        path: '/v1/users',
        body: { email, name: 'New', role: 'admin' },
      });
      expect([added.status, added.body.data]).toMatchObject([201, { linkToken: null, hasTotp: false }]);
    },
  ],
  ['who becomes an operator', async (email) => void (await invite(t, 'operator', 'Users', email))],
])('no admin keeps a way in to a user of the identity provider %s', async (_name, give) => {
  const { admin, add } = await openAccount();
  const { id, linkToken } = (await add('editor')).body.data;
  const { email } = (await (await useLink(t, linkToken!)).call<{ email: string }>(ME)).body.data;
  await t.db.query(
    `UPDATE app_user SET identity_issuer = 'https://login.example', identity_subject = $1::text WHERE id = $1`,
    [id],
  );
  const reset = () => admin.call<User>({ path: `/v1/users/${id}/link` });
  const intruder = await useLink(t, (await reset()).body.data.linkToken!);
  const set = { method: 'PUT', path: '/v1/session/password', body: { newPassword: PASSWORD } };
  expect((await intruder.call(set)).status).toBe(200);
  const token = newToken();
  await upsertSignInLink(t.db, id, hashToken(token), 10);

  await give(email);

  expectFailure(await intruder.call(ME), 401, 'session_expired');
  expectFailure(await signInWithPassword(t, email, PASSWORD), 401, 'credentials_invalid');
  const link = { path: '/v1/session/link', headers: FROM_PAGE, body: { token } };
  expectFailure(await t.call(link), 401, 'sign_in_link_invalid');
});

test('a reset password ends the sessions and the password', async () => {
  const { admin, account } = await openAccount();
  const user = await signIn(t, 'editor', account);
  await user.call({ method: 'PUT', path: '/v1/session/password', body: { newPassword: PASSWORD } });

  const { linkToken } = (await admin.call<User>({ path: `/v1/users/${await idOf(user.email)}/link` })).body
    .data;

  expectFailure(await user.call(ME), 401, 'session_expired');
  expect((await (await useLink(t, linkToken!)).call(ME)).body.data).toMatchObject({ hasPassword: false });
});

test('nobody resets their own password or second factor without the password', async () => {
  const { admin } = await openAccount();
  const { id } = (await admin.call<{ id: string }>(ME)).body.data;
  await admin.call({ method: 'PUT', path: '/v1/session/password', body: { newPassword: PASSWORD } });

  expectFailure(await admin.call({ path: `/v1/users/${id}/link` }), 403, 'user_is_you');
  expectFailure(await admin.call({ method: 'DELETE', path: `/v1/users/${id}/totp` }), 403, 'user_is_you');
  expect((await admin.call(ME)).body.data).toMatchObject({ hasPassword: true });
});

test('an invitation changes no user of the account, and makes nobody an operator who exists', async () => {
  const { account, admin } = await openAccount();
  const { id, email } = (await admin.call<{ id: string; email: string }>(ME)).body.data;
  const operator = await signIn(t, 'operator', account);
  const choose = async (name: string): Promise<void> => {
    const [row] = (await t.db.query(`SELECT id FROM account WHERE name = $1`, [name])) as [{ id: string }];
    const body = { accountId: row.id };
    expect((await operator.call({ method: 'PUT', path: '/v1/session/account', body })).status).toBe(200);
  };
  const add = (role: string) => operator.call({ path: '/v1/users', body: { email, name: 'Other', role } });

  await choose(account);
  expectFailure(await add('viewer'), 409, 'user_exists');
  expectFailure(await add('operator'), 409, 'user_exists');
  expect((await admin.call(ME)).body.data).toMatchObject({ id, role: 'admin', name: 'The admin' });
  await t.addKey('Elsewhere');
  await choose('Elsewhere');
  const added = await add('viewer');
  expect([added.status, added.body.data]).toMatchObject([201, { id, name: 'The admin' }]);
});

test('an invitation that is repeated with the same Idempotency-Key returns the same link', async () => {
  const { admin } = await openAccount();
  const invitation = {
    path: '/v1/users',
    body: { email: newEmail(), name: 'New', role: 'viewer' },
    headers: { 'idempotency-key': 'invited once' },
  };

  const first = await admin.call<{ linkToken: string }>(invitation);
  const repeat = await admin.call<{ linkToken: string }>(invitation);

  expect([first.status, repeat.status]).toEqual([201, 201]);
  expect(repeat.body.data).toEqual(first.body.data);
  expect(repeat.headers['idempotent-replayed']).toBe('true');
});

test('an invitation that meets the removal of its user is refused', async () => {
  const { account, admin } = await openAccount();
  const { id, email } = (await admin.call<{ id: string; email: string }>(ME)).body.data;
  const operator = await signIn(t, 'operator', `${account} elsewhere`);
  const removal = t.db.connection.createQueryRunner();
  await removal.startTransaction();
  await removal.query(`DELETE FROM app_user WHERE id = $1`, [id]);

  const inviting = operator.call({ path: '/v1/users', body: { email, name: 'Other', role: 'viewer' } });
  await waitFor(async () => (await lockedStatements()) > 0, { otherwise: 'the invitation did not wait' });
  await removal.commitTransaction();
  await removal.release();

  expectFailure(await inviting, 409, 'user_exists');
});

async function lockedStatements(): Promise<number> {
  const waiting: unknown[] = await t.db.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return waiting.length;
}

test('a key with the scope manage alone gives no role that may do more', async () => {
  await openAccount();
  const apikey = await t.addKey('Keyed', ['manage']);
  const add = (call: Call) => t.call({ ...call, headers: { apikey } });

  expectFailure(
    await add({ path: '/v1/users', body: { email: newEmail(), name: 'x', role: 'viewer' } }),
    403,
    'scope_missing',
  );
});

test.each<[string, object, string]>([
  ['an address without a host', { email: 'ana', name: 'x', role: 'viewer' }, 'email'],
  ['an address of two lines', { email: 'a@b\nc', name: 'x', role: 'viewer' }, 'email'],
  ['an address with an invisible character', { email: 'an\u200ba@b.c', name: 'x', role: 'viewer' }, 'email'],
  ['a name of two lines', { email: 'a@b.c', name: 'x\ny', role: 'viewer' }, 'name'],
  ['an unknown role', { email: 'a@b.c', name: 'x', role: 'root' }, 'role'],
])('a user with %s is refused', async (_name, body, field) => {
  const { admin } = await openAccount();

  const answer = await admin.call({ path: '/v1/users', body });

  expect([answer.status, answer.body.error.details[0]?.field]).toEqual([400, field]);
});

test.each([
  ['the password is changed', 'password_hash = NULL', 'credentials_invalid'],
  ['a second factor is confirmed', `sealed_totp = '\\x01'`, 'code_required'],
  ['the user is disabled', 'disabled_at = now()', 'credentials_invalid'],
])('a sign-in during which %s begins no session', async (_name, change, code) => {
  const { email } = await withPasswordSet(t);
  const isWaiting = async (): Promise<boolean> => {
    const waiting = await t.db.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return (waiting as unknown[]).length > 0;
  };

  const signingIn = await t.db.transaction(async (db) => {
    await db.query(`UPDATE app_user SET ${change} WHERE email = $1`, [email]);
    const answer = signInWithPassword(t, email, PASSWORD);
    await waitFor(isWaiting, { otherwise: 'the sign-in does not wait for the change' });
    return { answer };
  });

  expectFailure(await signingIn.answer, 401, code);
});
