import { expect, test } from '@jest/globals';
import { assignSender } from '@signalbox/database/chat/assignments';
import { expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';

const t = await startSharedApi({ env: { SENDER_REGISTRATION: '' } });

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

test('an operator assigns, lists and releases numbers, of one account at a time', async () => {
  const ops = { apikey: await t.addKey('Operators', ['ops', 'send', 'manage']) };
  const owner = await addOwner('Assigned to');
  const body = { msisdn: '+15550300021', accountId: owner.accountId };
  const path = '/v1/sender-assignments';
  const remove = (query = '') =>
    t.call({ method: 'DELETE', path: `${path}/15550300021${query}`, headers: ops });

  const manager = { apikey: await t.addKey('Assigned to', ['manage', 'send']) };
  expectFailure(await t.call({ path, body, headers: manager }), 403, 'scope_missing');
  expect((await t.call({ path, headers: ops, body })).status).toBe(201);
  expectFailure(await t.call({ path, headers: ops, body: { msisdn: '15550300021' } }), 409, 'sender_taken');
  const unknown = { ...body, accountId: '01900000-0000-7000-8000-000000000000' };
  expectFailure(await t.call({ path, headers: ops, body: unknown }), 400, 'invalid_request', [
    'accountId unknown_account',
  ]);
  expect((await owner.add('15550300021')).status).toBe(201);
  expectFailure(await remove(), 409, 'sender_in_use');

  const listed = await t.call({ method: 'GET', path: `${path}?accountId=${owner.accountId}`, headers: ops });
  expect(listed.body.data).toMatchObject([
    { msisdn: '15550300021', accountName: 'Assigned to', inUse: true },
  ]);
  expect((await remove('?removeSender=true')).status).toBe(200);
  expectFailure(await remove(), 404, 'sender_not_found');
});

test('pages of assignments hold each number once, by number', async () => {
  const ops = { apikey: await t.addKey('Pages', ['ops']) };
  for (const msisdn of ['15550300033', '15550300031', '15550300032'])
    await t.call({ path: '/v1/sender-assignments', headers: ops, body: { msisdn } });
  const [{ id }] = await t.db.query(`SELECT id FROM account WHERE name = 'Pages'`);
  const read = (cursor = '') =>
    t.call<{ msisdn: string }[]>({
      method: 'GET',
      path: `/v1/sender-assignments?accountId=${id}&limit=2${cursor}`,
      headers: ops,
    });

  const first = await read();
  const second = await read(`&cursor=${first.body.nextCursor}`);

  const numbers = [...first.body.data, ...second.body.data].map(({ msisdn }) => msisdn);
  expect(numbers).toEqual(['15550300031', '15550300032', '15550300033']);
  expect(second.body.nextCursor).toBeNull();
});

test('an account lists its numbers and the senders it used lately, and no others', async () => {
  const owner = await addOwner('Lister');
  const apikey = await t.addKey('Lister', ['send']);
  await assignSender(t.db, owner.accountId, '15550300041');
  await owner.add('15550300041');
  for (const sender of ['SHOP', 'NEWS', 'SHOP'])
    await t.call({ headers: { apikey }, body: { sender, to: '919800000100', text: 'Hi', type: 'TRANS' } });

  const { body } = await t.call({ method: 'GET', path: '/v1/senders', headers: { apikey } });

  expect(body.data).toMatchObject([
    { channel: 'chatapp', sender: '15550300041', chatAccountName: 'Lister', sessionWindow: 'off' },
    { channel: 'sms', sender: 'SHOP', chatAccountId: null, lastUsedAt: expect.any(String) },
    { channel: 'sms', sender: 'NEWS' },
  ]);
});
