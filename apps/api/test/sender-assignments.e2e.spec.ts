import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { assignSender } from '@signalbox/database/chat/assignments';
import { type ApiUnderTest, expectFailure, sameForAll, startApi } from './api-under-test.ts';

let t: ApiUnderTest;

beforeAll(async () => {
  t = await startApi({ env: { SENDER_REGISTRATION: '' } });
});
afterAll(async () => t[Symbol.asyncDispose]());

const SENDERS = '/v1/chat-accounts';

/** Creates an account with a chat account. */
async function addOwner(name: string) {
  const headers = { apikey: await t.addKey(name) };
  const { body } = await t.call<{ id: number }>({ path: SENDERS, headers, body: { name } });
  const [{ accountId }] = await t.db.query(`SELECT id AS "accountId" FROM account WHERE name = $1`, [name]);
  return {
    accountId: accountId as string,
    add: (msisdn: string) =>
      t.call({ path: `${SENDERS}/${body.data.id}/senders`, headers, body: { msisdn } }),
  };
}

test('by default only assigned numbers are added, and all others get the same refusal', async () => {
  const [owner, other] = [await addOwner('Owner'), await addOwner('Other')];
  await assignSender(t.db, owner.accountId, '15550300001');
  await assignSender(t.db, owner.accountId, '15550300002');

  expect((await owner.add('15550300001')).status).toBe(201);

  const nobodys = await other.add('15550300009');
  expectFailure(nobodys, 403, 'sender_unavailable');
  for (const refused of [
    await other.add('15550300001'), // in use
    await other.add('15550300002'), // assigned to another account
    await owner.add('15550300001'), // added already
  ])
    expect(sameForAll(refused)).toBe(sameForAll(nobodys));
});

test('a refused number is refused again with the same Idempotency-Key until it is assigned', async () => {
  const { accountId } = await addOwner('Keyed');
  const headers = { apikey: await t.addKey('Keyed'), 'idempotency-key': 'one sender' };
  const { body } = await t.call<{ id: number }>({
    path: SENDERS,
    headers: { apikey: headers.apikey },
    body: { name: 'Second' },
  });
  const call = { path: `${SENDERS}/${body.data.id}/senders`, headers, body: { msisdn: '15550300003' } };

  expectFailure(await t.call(call), 403, 'sender_unavailable');
  await assignSender(t.db, accountId, '15550300003');

  expect((await t.call(call)).status).toBe(201);
});
