import { expect, test } from '@jest/globals';
import type { Role } from '@signalbox/domain/role';
import { expectFailure, startSharedApi } from './api-under-test.ts';
import { invite, useLink } from './users-under-test.ts';

interface Me {
  accountId: string;
  accountName: string;
  accounts: { id: string; name: string }[];
}

const t = await startSharedApi();

const ME = { method: 'GET', path: '/v1/me' };
const suspend = (name: string) =>
  t.db.query(`UPDATE account SET status = 'suspended' WHERE name = $1`, [name]);

/** Invites a user to two accounts. @returns the token of the sign-in link */
async function inviteToTwo(role: Role, first: string, second: string): Promise<string> {
  const { email } = await invite(t, role, first);
  if (role === 'operator') await invite(t, 'viewer', first, email);
  return (await invite(t, 'viewer', second, email)).token;
}

test('in a suspended account a user may only see and choose accounts, and sign out', async () => {
  const user = await useLink(t, await inviteToTwo('editor', 'Suspended', 'Active'));
  await suspend('Suspended');
  const messages = { method: 'GET', path: '/v1/messages' };
  expectFailure(await user.call(messages), 403, 'account_suspended');

  const { accountName, accounts } = (await user.call<Me>(ME)).body.data;
  const accountId = accounts.find(({ name }) => name === 'Active')?.id;
  const chosen = await user.call({ method: 'PUT', path: '/v1/session/account', body: { accountId } });

  expect([accountName, chosen.status]).toEqual(['Suspended', 200]);
  expect((await user.call(messages)).status).toBe(200);
  await suspend('Active');
  expect((await user.call({ method: 'DELETE', path: '/v1/session' })).status).toBe(200);
});

test('an API key of a suspended account is refused by /v1/me too', async () => {
  const apikey = await t.addKey('Suspended with a key');
  await suspend('Suspended with a key');

  expectFailure(await t.call({ ...ME, headers: { apikey } }), 403, 'account_suspended');
});

test.each<Role>(['editor', 'operator'])('a new session of an %s acts in an active account', async (role) => {
  const token = await inviteToTwo(role, `First of an ${role}`, `Second of an ${role}`);
  await suspend(`First of an ${role}`);

  const user = await useLink(t, token);

  expect((await user.call<Me>(ME)).body.data.accountName).toBe(`Second of an ${role}`);
});

test('a new session of an operator acts in any active account before a suspended one', async () => {
  const { email } = await invite(t, 'operator', 'Own account');
  const { token } = await invite(t, 'viewer', 'Own account', email);
  await t.addKey('Still active');
  await t.db.query(`UPDATE account SET status = 'suspended' WHERE name <> 'Still active'`);

  const operator = await useLink(t, token);

  expect((await operator.call<Me>(ME)).body.data.accountName).toBe('Still active');
});
