import { expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { Secret, TOTP } from 'otpauth';
import { expectFailure, startSharedApi } from './api-under-test.ts';
import { PASSWORD, newAddress, nextCode, signInWithPassword, withPasswordSet } from './users-under-test.ts';

const t = await startSharedApi();

test('of two confirmations of a second factor at the same time one returns recovery codes', async () => {
  const { call, email } = await withPasswordSet(t);
  const { totp, confirm } = await offerSecondFactor({ call });
  const waiting = async (): Promise<number> => {
    const rows: unknown[] = await t.db.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length;
  };

  const confirming = await t.db.transaction(async (db) => {
    await db.query(`SELECT FROM app_user WHERE email = $1 FOR UPDATE`, [email]);
    const answers = [totp.generate(), nextCode(totp)].map(confirm);
    await waitFor(async () => (await waiting()) === 2, { otherwise: 'the calls do not wait for the user' });
    return { answers };
  });
  const answers = await Promise.all(confirming.answers);

  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const { recoveryCodes } = answers.find(({ status }) => status === 200)!.body.data;
  const signedIn = await signInWithPassword(t, email, PASSWORD, newAddress(), recoveryCodes[0]);
  expect(signedIn.status).toBe(200);
});

test('after 20 wrong codes of a second factor in an hour the right one is refused too', async () => {
  const user = await withPasswordSet(t);
  const { totp } = await addSecondFactor(user);
  for (let i = 0; i < 20; i += 1)
    expectFailure(
      await signInWithPassword(t, user.email, PASSWORD, newAddress(), `wrong-code-${i}`),
      401,
      'code_incorrect',
    );

  const right = await signInWithPassword(t, user.email, PASSWORD, newAddress(), nextCode(totp));

  expectFailure(right, 429, 'rate_limited');
});

test('a second factor whose secret is damaged takes no code but the recovery codes', async () => {
  const user = await withPasswordSet(t);
  const { totp, recoveryCodes } = await addSecondFactor(user);
  await t.db.query(
    `UPDATE app_user SET sealed_totp = set_byte(sealed_totp, 40, get_byte(sealed_totp, 40) # 1) WHERE email = $1`,
    [user.email],
  );
  const signInBy = (by: string) => signInWithPassword(t, user.email, PASSWORD, newAddress(), by);

  expectFailure(await signInBy(nextCode(totp)), 401, 'code_incorrect');
  expect((await signInBy(recoveryCodes[0]!)).status).toBe(200);
});

type Caller = Pick<Awaited<ReturnType<typeof withPasswordSet>>, 'call'>;

/** Offers a user a second factor. */
async function offerSecondFactor({ call }: Caller) {
  const path = '/v1/session/totp';
  const body = { password: PASSWORD };
  const offered = await call<{ secret: string }>({ path, headers: newAddress(), body });
  const totp = new TOTP({ secret: Secret.fromBase32(offered.body.data.secret) });
  const confirm = (code: string) =>
    call<{ recoveryCodes: string[] }>({ method: 'PUT', path, body: { code } });
  return { totp, confirm };
}

/** Adds a second factor to a user, confirmed by its present code. */
async function addSecondFactor(user: Caller): Promise<{ totp: TOTP; recoveryCodes: string[] }> {
  const { totp, confirm } = await offerSecondFactor(user);
  const { recoveryCodes } = (await confirm(totp.generate())).body.data;
  return { totp, recoveryCodes };
}
