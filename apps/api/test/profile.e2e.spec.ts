import { expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { Secret, TOTP } from 'otpauth';
import { type Call, expectFailure, startSharedApi } from './api-under-test.ts';
import { PASSWORD, signIn } from './users-under-test.ts';

const t = await startSharedApi();

const TOTP_PATH = '/v1/session/totp';

test.each<[string, (code: string) => Call]>([
  [
    'sets a password',
    () => ({ method: 'PUT', path: '/v1/session/password', body: { newPassword: PASSWORD } }),
  ],
  ['offers a second factor', () => ({ path: TOTP_PATH, body: {} })],
  ['confirms a second factor', (code) => ({ method: 'PUT', path: TOTP_PATH, body: { code } })],
  ['removes the second factor', () => ({ path: `${TOTP_PATH}/remove`, body: {} })],
])('a call that %s is refused once its session has ended', async (_name, call) => {
  const user = await signIn(t, 'editor');
  const offered = await user.call<{ secret: string }>({ path: TOTP_PATH, body: {} });
  const code = new TOTP({ secret: Secret.fromBase32(offered.body.data.secret) }).generate();
  const read = async (): Promise<object> =>
    ((await t.db.query('SELECT * FROM app_user WHERE email = $1', [user.email])) as [object])[0];
  const before = await read();

  const calling = await t.db.transaction(async (db) => {
    await db.query('SELECT FROM app_user WHERE email = $1 FOR UPDATE', [user.email]);
    const answer = user.call(call(code));
    await waitFor(isWaiting, { otherwise: 'the call does not wait for the user' });
    await db.query('DELETE FROM user_session WHERE user_id = (SELECT id FROM app_user WHERE email = $1)', [
      user.email,
    ]);
    return { answer };
  });

  expectFailure(await calling.answer, 401, 'session_expired');
  expect(await read()).toEqual(before);
});

async function isWaiting(): Promise<boolean> {
  const waiting: unknown[] = await t.db.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return waiting.length > 0;
}
