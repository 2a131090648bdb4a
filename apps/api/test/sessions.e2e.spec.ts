import { expect, test } from '@jest/globals';
import { hashToken } from '@signalbox/domain/session';
import { TOTP, Secret } from 'otpauth';
import { expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';
import {
  FROM_PAGE,
  PASSWORD,
  browserOf,
  invite,
  newEmail,
  signIn,
  useLink,
  signInWithPassword,
  withPasswordSet,
  newAddress,
  nextCode,
} from './users-under-test.ts';

const t = await startSharedApi();

const ME = { method: 'GET', path: '/v1/me' };

test('a sign-in link works once, and its session shows its user', async () => {
  const { email, token } = await invite(t, 'admin', 'Linked');
  const browser = await useLink(t, token);

  expect((await browser.call(ME)).body.data).toMatchObject({
    kind: 'user',
    email,
    role: 'admin',
    accountName: 'Linked',
    accounts: [{ name: 'Linked' }],
    scopes: ['send', 'verify', 'templates', 'webhooks', 'manage'],
    readOnly: false,
    hasPassword: false,
    hasTotp: false,
  });
  const again = await t.call({ path: '/v1/session/link', headers: FROM_PAGE, body: { token } });
  expectFailure(again, 401, 'sign_in_link_invalid');
  expect(again.headers['set-cookie']).toBeUndefined();
});

test('a link and a session are stored as hashes only', async () => {
  const { token } = await invite(t, 'viewer');
  const links = await t.db.query(`SELECT 1 FROM sign_in_link WHERE hash = $1`, [hashToken(token)]);
  const { cookie } = await useLink(t, token);
  const sessions = await t.db.query(`SELECT 1 FROM user_session WHERE hash = $1`, [
    hashToken(cookie.split('=')[1]!),
  ]);

  expect([links, sessions]).toEqual([[expect.anything()], [expect.anything()]]);
});

test('an expired link, and one that a newer replaced, do not work', async () => {
  const [expired, replaced] = [await invite(t, 'viewer'), await invite(t, 'viewer')];
  await t.db.query(`UPDATE sign_in_link SET expires_at = now() WHERE hash = $1`, [hashToken(expired.token)]);
  const { token } = await invite(t, 'viewer', 'Users', replaced.email);

  for (const old of [expired.token, replaced.token, 'x', `${token}x`, 'a'.repeat(43)])
    expectFailure(
      await t.call({ path: '/v1/session/link', headers: FROM_PAGE, body: { token: old } }),
      401,
      'sign_in_link_invalid',
    );
  await useLink(t, token);
});

test('of several browsers that use a link at the same time one gets a session', async () => {
  const { token } = await invite(t, 'viewer');

  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => t.call({ path: '/v1/session/link', headers: FROM_PAGE, body: { token } })),
  );

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
});

test('the cookie is HttpOnly and Lax, and over https Secure with the prefix __Host-', async () => {
  const { token } = await invite(t, 'viewer');
  const proxied = { ...FROM_PAGE, 'x-forwarded-proto': 'https' };
  const plain = await useLink(t, (await invite(t, 'viewer')).token);
  const secure = await t.call({ path: '/v1/session/link', headers: proxied, body: { token } });

  expect(secure.headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-signalbox=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
    ),
  ]);
  expect(plain.cookie).toMatch(/^signalbox=/);
  expectFailure(
    await plain.call({ ...ME, headers: { 'x-forwarded-proto': 'https' } }),
    401,
    'api_key_missing',
  );
});

test('a user with a password signs in, and gets a new token whatever the browser sent', async () => {
  const { email } = await withPasswordSet(t);
  const planted = `signalbox=${'a'.repeat(43)}`;

  const answer = await signInWithPassword(t, email.toUpperCase(), PASSWORD, {
    ...newAddress(),
    cookie: planted,
  });

  expect(answer.status).toBe(200);
  const browser = browserOf(t, answer);
  expect(browser.cookie).not.toBe(planted);
  expect((await browser.call(ME)).status).toBe(200);
  expectFailure(await browser.call({ ...ME, headers: { cookie: planted } }), 401, 'session_expired');
});

test('a wrong password and an unknown, disabled or invited user get the same answer', async () => {
  const [user, disabled, invited] = [
    await withPasswordSet(t),
    await withPasswordSet(t),
    await signIn(t, 'viewer'),
  ];
  await t.db.query(`UPDATE app_user SET disabled_at = now() WHERE email = $1`, [disabled.email]);

  const answers = [
    await signInWithPassword(t, user.email, 'wrong password'),
    await signInWithPassword(t, newEmail(), PASSWORD),
    await signInWithPassword(t, 'no address', PASSWORD),
    await signInWithPassword(t, disabled.email, PASSWORD),
    await signInWithPassword(t, invited.email, ''.padEnd(12)),
  ];

  for (const answer of answers) expectFailure(answer, 401, 'credentials_invalid');
  expect(new Set(answers.map(sameForAll)).size).toBe(1);
});

test('the sixth attempt with a wrong password in a minute is refused, also with the right one', async () => {
  const { email } = await withPasswordSet(t);
  const here = newAddress();
  const wrong = await Promise.all(
    [1, 2, 3, 4, 5].map(() => signInWithPassword(t, email, 'wrong password', here)),
  );

  const refused = await signInWithPassword(t, email, PASSWORD, here);

  for (const answer of wrong) expectFailure(answer, 401, 'credentials_invalid');
  expectFailure(refused, 429, 'rate_limited');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect((await signInWithPassword(t, email, PASSWORD)).status).toBe(200);
  expectFailure(await signInWithPassword(t, newEmail(), PASSWORD, here), 401, 'credentials_invalid');
});

test('right passwords use up no attempts', async () => {
  const { email } = await withPasswordSet(t);
  const here = newAddress();

  for (let i = 0; i < 7; i += 1)
    expect((await signInWithPassword(t, email, PASSWORD, here)).status).toBe(200);
});

test.each([
  ['short', 'only eleven', ['newPassword min_length']],
  ['common', 'Password1234', ['newPassword too_common']],
  ['common once it is normalized', 'ｑｗｅｒｔｙｕｉｏｐ１２', ['newPassword too_common']],
  ['of one character', 'aaaaaaaaaaaaaaaa', ['newPassword too_simple']],
  ['too long', 'long'.repeat(65), ['newPassword max_length']],
])('a password that is %s is refused', async (_name, newPassword, broken) => {
  const browser = await signIn(t, 'viewer');

  const answer = await browser.call({ method: 'PUT', path: '/v1/session/password', body: { newPassword } });

  expectFailure(answer, 400, 'invalid_request', broken);
});

test('a new password needs the current one, and ends the other sessions and the link', async () => {
  const first = await withPasswordSet(t);
  const second = browserOf(t, await signInWithPassword(t, first.email, PASSWORD));
  const { token } = await invite(t, 'editor', 'Users', first.email);
  const change = (currentPassword?: string) =>
    first.call({
      method: 'PUT',
      path: '/v1/session/password',
      headers: newAddress(),
      body: { currentPassword, newPassword: 'another meadow of clover' },
    });

  expectFailure(await change(), 403, 'password_incorrect');
  expectFailure(await change('wrong password'), 403, 'password_incorrect');
  expect((await change(PASSWORD)).body.data).toEqual({ ended: 1 });

  expect((await first.call(ME)).status).toBe(200);
  expectFailure(await second.call(ME), 401, 'session_expired');
  expectFailure(
    await t.call({ path: '/v1/session/link', headers: FROM_PAGE, body: { token } }),
    401,
    'sign_in_link_invalid',
  );
});

test.each([
  ['12 hours after its last use', `used_at = now() - interval '12 hours 1 second'`],
  ['7 days after its start', `created_at = now() - interval '7 days 1 second'`],
])('a session ends %s', async (_name, change) => {
  const browser = await signIn(t, 'viewer');
  await t.db.query(`UPDATE user_session SET ${change} WHERE hash = $1`, [
    hashToken(browser.cookie.split('=')[1]!),
  ]);

  expectFailure(await browser.call(ME), 401, 'session_expired');
});

test('users list their sessions, end one, end the others, and sign out', async () => {
  const first = await withPasswordSet(t);
  const [second, third] = [
    browserOf(t, await signInWithPassword(t, first.email, PASSWORD)),
    browserOf(t, await signInWithPassword(t, first.email, PASSWORD)),
  ];
  const stranger = await signIn(t, 'admin');
  const listed = await first.call<{ id: string; isCurrent: boolean }[]>({
    method: 'GET',
    path: '/v1/sessions',
  });
  expect(listed.body.data.map(({ isCurrent }) => isCurrent)).toEqual([false, false, true]);
  const [, { id }] = listed.body.data as [unknown, { id: string }];
  const end = { method: 'DELETE', path: `/v1/sessions/${id}` };

  expectFailure(await stranger.call(end), 404, 'session_not_found');
  expect((await first.call(end)).status).toBe(200);
  expectFailure(await second.call(ME), 401, 'session_expired');
  expect((await first.call({ method: 'DELETE', path: '/v1/sessions' })).body.data).toEqual({ ended: 1 });
  expectFailure(await third.call(ME), 401, 'session_expired');
  const out = await first.call({ method: 'DELETE', path: '/v1/session' });
  expect(out.headers['set-cookie']).toEqual([expect.stringMatching(/^signalbox=; Path=\/; Max-Age=0;/)]);
  expectFailure(await first.call(ME), 401, 'session_expired');
});

test('a session acts in the accounts of its user only', async () => {
  const { email } = await invite(t, 'editor', 'First account');
  const user = await useLink(t, (await invite(t, 'viewer', 'Second account', email)).token);
  await t.addKey('Foreign account');
  const idOf = async (name: string): Promise<string> =>
    ((await t.db.query(`SELECT id FROM account WHERE name = $1`, [name])) as [{ id: string }])[0].id;
  const choose = (accountId: string) =>
    user.call({ method: 'PUT', path: '/v1/session/account', body: { accountId } });

  expectFailure(await choose(await idOf('Foreign account')), 404, 'account_not_usable');
  expectFailure(await choose('0192f0c4-8c9a-7d3e-9b1c-2f6a5d7e8c93'), 404, 'account_not_usable');
  expect((await choose(await idOf('Second account'))).status).toBe(200);
  expect((await user.call(ME)).body.data).toMatchObject({
    role: 'viewer',
    readOnly: true,
    accountName: 'Second account',
    accounts: [{ name: 'First account' }, { name: 'Second account' }],
  });
  const listFor = async (name: string) =>
    user.call({ method: 'GET', path: '/v1/webhooks', headers: { 'signalbox-account': await idOf(name) } });
  expect((await listFor('Second account')).status).toBe(200);
  expectFailure(await listFor('First account'), 409, 'account_changed');
});

test('a user who loses an account, or is disabled, is signed out immediately', async () => {
  const [removed, disabled] = [await signIn(t, 'editor', 'Left'), await signIn(t, 'editor', 'Left')];
  await t.db.query(`DELETE FROM user_account WHERE user_id = (SELECT id FROM app_user WHERE email = $1)`, [
    removed.email,
  ]);
  await t.db.query(`UPDATE app_user SET disabled_at = now() WHERE email = $1`, [disabled.email]);

  expectFailure(await removed.call(ME), 401, 'session_expired');
  expectFailure(await disabled.call(ME), 401, 'session_expired');
});

test.each<[string, Record<string, string | null>]>([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['a sibling host', { 'sec-fetch-site': 'same-site' }],
  ['nowhere', { 'sec-fetch-site': null }],
  ['an Origin of another host', { 'sec-fetch-site': null, origin: 'http://evil.example' }],
  ['an opaque Origin', { 'sec-fetch-site': null, origin: 'null' }],
  [
    'another site that claims our Origin',
    { 'sec-fetch-site': 'cross-site', origin: 'http://signalbox.example' },
  ],
])('a write or sign-in from %s is refused', async (_name, headers) => {
  const user = await signIn(t, 'editor');
  const from = { host: 'signalbox.example', ...headers };
  const { token } = await invite(t, 'viewer');

  expectFailure(await user.call({ method: 'DELETE', path: '/v1/session', headers: from }), 403, 'csrf');
  expectFailure(
    await t.call({ path: '/v1/session/link', headers: { apikey: null, ...from }, body: { token } }),
    403,
    'csrf',
  );
  expect((await user.call({ ...ME, headers: from })).status).toBe(200);
});

test('a write with a matching Origin is accepted where the browser sends no Sec-Fetch-Site', async () => {
  const user = await signIn(t, 'editor');
  const headers = { host: 'signalbox.example', origin: 'http://signalbox.example', 'sec-fetch-site': null };

  expect((await user.call({ method: 'DELETE', path: '/v1/session', headers })).status).toBe(200);
});

test('a key counts before a session, and reaches no personal endpoint', async () => {
  const user = await signIn(t, 'editor');

  expectFailure(await user.call({ ...ME, headers: { apikey: 'wrong' } }), 401, 'api_key_invalid');
  expect((await user.call({ ...ME, headers: { apikey: t.p.apiKey } })).body.data).toMatchObject({
    kind: 'key',
    email: null,
    role: null,
    readOnly: false,
  });
  expectFailure(await t.call({ method: 'GET', path: '/v1/sessions' }), 403, 'session_required');
});

test('a second factor takes each code once, and recovery codes in its place', async () => {
  const user = await withPasswordSet(t);
  const offered = await user.call<{ secret: string; uri: string }>({
    path: '/v1/session/totp',
    headers: newAddress(),
    body: { password: PASSWORD },
  });
  const totp = new TOTP({ secret: Secret.fromBase32(offered.body.data.secret) });
  const put = (code: string) =>
    user.call<{ recoveryCodes: string[] }>({ method: 'PUT', path: '/v1/session/totp', body: { code } });
  expectFailure(await put('000000'), 401, 'code_incorrect');
  const now = totp.generate();
  const [recovery = ''] = (await put(now)).body.data.recoveryCodes;
  const next = nextCode(totp);

  expectFailure(await signInWithPassword(t, user.email, PASSWORD), 401, 'code_required');
  expectFailure(await signInWithPassword(t, user.email, PASSWORD, newAddress(), now), 401, 'code_incorrect');
  expect((await signInWithPassword(t, user.email, PASSWORD, newAddress(), next)).status).toBe(200);
  expectFailure(await signInWithPassword(t, user.email, PASSWORD, newAddress(), next), 401, 'code_incorrect');
  expectFailure(
    await signInWithPassword(t, user.email, 'wrong password', newAddress(), recovery),
    401,
    'credentials_invalid',
  );
  expect(
    (await signInWithPassword(t, user.email, PASSWORD, newAddress(), recovery.toUpperCase())).status,
  ).toBe(200);
  expectFailure(
    await signInWithPassword(t, user.email, PASSWORD, newAddress(), recovery),
    401,
    'code_incorrect',
  );
  const { token } = await invite(t, 'editor', 'Users', user.email);
  const link = { path: '/v1/session/link', headers: FROM_PAGE, body: { token } };
  expectFailure(await t.call(link), 401, 'code_required');
  expect(
    (
      await user.call({
        path: '/v1/session/totp/remove',
        headers: newAddress(),
        body: { password: PASSWORD },
      })
    ).status,
  ).toBe(200);
  expect((await t.call(link)).status).toBe(200);
});

test('a second factor needs the password, and its secret is sealed', async () => {
  const user = await withPasswordSet(t);
  const offer = (password?: string) =>
    user.call<{ secret: string }>({ path: '/v1/session/totp', headers: newAddress(), body: { password } });

  expectFailure(await offer(), 403, 'password_incorrect');
  const { secret } = (await offer(PASSWORD)).body.data;

  const [row] = (await t.db.query(`SELECT sealed_new_totp AS sealed FROM app_user WHERE email = $1`, [
    user.email,
  ])) as [{ sealed: Buffer }];
  expect(row.sealed.toString('latin1')).not.toContain(secret);
});
