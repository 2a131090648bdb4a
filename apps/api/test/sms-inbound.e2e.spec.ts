import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { insertInboundSms } from '@signalbox/database/gateways/inbound-sms';
import { type Answer, expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';

const NUMBER = '15550100055';
let stranger: { apikey: string };

const t = await startSharedApi();

beforeAll(async () => {
  stranger = { apikey: await t.addKey('Stranger') };
  const [demo] = await t.db.query(`SELECT account_id AS id FROM api_key ORDER BY id LIMIT 1`);
  await t.db.query(
    `INSERT INTO sender_assignment (msisdn, account_id, assigned_by) VALUES ($1, $2, 'operator')`,
    [NUMBER, (demo as { id: string }).id],
  );
});

async function receive(from: string, text = 'YES'): Promise<string> {
  const [id, now] = [randomUUIDv7(), new Date()];
  const message = { id, gateway: 'smsc-1', gatewayMessageId: id, from, to: NUMBER, text };
  await insertInboundSms(t.db, [{ ...message, sentAt: now, receivedAt: now, consent: null }]);
  return id;
}

const list = (query = '', headers = {}): Promise<Answer<{ id: string }[]>> =>
  t.call({ method: 'GET', path: `/v1/sms/inbound${query}`, headers });
const get = (id: string, headers = {}): Promise<Answer> =>
  t.call({ method: 'GET', path: `/v1/sms/inbound/${id}`, headers });

test('inbound SMS are listed newest first, in pages, and apart from chat-app messages', async () => {
  const ids = [
    await receive('919800000600'),
    await receive('CARRIER'),
    await receive('919800000600'),
  ].toSorted();
  const first = await list('?limit=2');
  const second = await list(`?limit=2&cursor=${first.body.nextCursor}`);
  expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids.toReversed());
  expect((await list('?from=%2B919800000600')).body.data).toHaveLength(2);
  expect((await list(`?from=CARRIER&to=${NUMBER}`)).body.data).toHaveLength(1);
  const chat = { method: 'GET', path: '/v1/chatapp/inbound' };
  expect((await t.call(chat)).body.data).toEqual([]);
  expectFailure(await t.call({ ...chat, path: `${chat.path}/${ids[0]}` }), 404, 'message_not_found');
  expectFailure(
    await t.call({ ...chat, path: `${chat.path}?cursor=${first.body.nextCursor}` }),
    400,
    'invalid_request',
    ['cursor invalid_format'],
  );
});

test("another account sees none of an account's inbound SMS", async () => {
  const id = await receive('919800000601');

  expect((await list('', stranger)).body.data).toEqual([]);
  expect(sameForAll(await get(id, stranger))).toBe(sameForAll(await get(randomUUIDv7(), stranger)));
  expect((await get(id)).body.data).toMatchObject({ id, text: { body: 'YES' }, to: NUMBER });
});

test('an SMS webhook may ask for inbound messages, and for no other event', async () => {
  const create = (given: object) =>
    t.call({ path: '/v1/webhooks', body: { name: randomUUIDv7(), endPoint: 'http://127.0.0.1/', ...given } });
  expect((await create({ events: ['message.received'] })).status).toBe(201);
  expectFailure(await create({ events: ['message.status'] }), 400, 'invalid_request', [
    'events not_allowed_value',
  ]);
  expectFailure(await create({ events: ['message.received'], method: 'GET' }), 400, 'invalid_request', [
    'method not_allowed_value',
  ]);
});
