import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  type SimulatorInbound,
  chatSimulatorCallback,
  signChatCallback,
} from '@signalbox/gateways/simulator/chat-callback';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import {
  type Answer,
  GOOD_SMS,
  expectFailure,
  sameForAll,
  startApi,
  startSharedApi,
} from './api-under-test.ts';

interface Inbound {
  id: string;
  from: string;
  to: string;
  text: { body: string };
}

const SECRET = 'the-secret-of-today';
const [BUSINESS, SECOND] = ['15550100011', '15550100012'];
const CUSTOMER = '919800000100';
const t = await startSharedApi({
  workers: ['chatapp'],
  env: { CALLBACK_SECRETS: `chat-simulator:${SECRET}`, SIMULATOR_INBOX: '1' },
});

const stranger = { apikey: await t.addKey('Stranger') };
await addSenders('Shop', [BUSINESS, SECOND]);
await addSenders('Other shop', ['15550100019'], stranger);

async function addSenders(name: string, numbers: string[], headers = {}): Promise<void> {
  const { body } = await t.call<{ id: number }>({ path: '/v1/chat-accounts', body: { name }, headers });
  for (const msisdn of numbers)
    await t.call({ path: `/v1/chat-accounts/${body.data.id}/senders`, body: { msisdn }, headers });
}

const write = (given: object = {}, headers = {}): Promise<Answer<{ id: string }>> =>
  t.call({
    path: '/v1/simulator/inbound',
    body: { channel: 'chatapp', from: CUSTOMER, to: BUSINESS, type: 'text', text: { body: 'YES' }, ...given },
    headers,
  });
const list = (query = '', headers = {}): Promise<Answer<Inbound[]>> =>
  t.call({ method: 'GET', path: `/v1/chatapp/inbound${query}`, headers });
const get = (id: string, headers = {}): Promise<Answer<Inbound>> =>
  t.call({ method: 'GET', path: `/v1/chatapp/inbound/${id}`, headers });

/** Sends a message and waits until it is stored. */
async function receive(given: object = {}, headers = {}): Promise<string> {
  const { id } = (await write(given, headers)).body.data;
  await waitFor(async () => (await get(id, headers)).status === 200, {
    otherwise: 'the message was not stored',
  });
  return id;
}

test('a message of a simulated customer is listed under the returned id', async () => {
  const id = await receive({ from: `+${CUSTOMER}`, text: { body: 'Is my order on its way? 👍' } });
  const shown = {
    id,
    chatAccountId: expect.any(Number),
    from: CUSTOMER,
    to: BUSINESS,
    type: 'text',
    text: { body: 'Is my order on its way? 👍' },
    context: null,
    gateway: 'chat-simulator',
    sentAt: expect.any(String),
    receivedAt: expect.any(String),
  };
  expect((await get(id)).body.data).toEqual(shown);
  expect((await list()).body).toEqual({
    data: [shown],
    message: '1 message.',
    error: null,
    nextCursor: null,
  });
});

test('a message in a signed callback is stored once, however often the gateway repeats it', async () => {
  const message: SimulatorInbound = {
    id: randomUUIDv7(),
    from: '919800000200',
    to: BUSINESS,
    timestamp: new Date().toISOString(),
    type: 'text',
    text: { body: 'Hello' },
  };
  const body = chatSimulatorCallback({ messages: [message] });
  const headers = { apikey: null, ...signChatCallback(body, SECRET) };
  for (let i = 0; i < 3; i += 1)
    expect((await t.call({ path: '/v1/callbacks/chat-simulator', headers, body })).status).toBe(200);
  await waitFor(
    async () => (await t.db.query(`SELECT FROM callback WHERE processed_at IS NULL`)).length === 0,
    {
      otherwise: 'a callback was not read',
    },
  );
  expect((await list('?from=919800000200')).body.data).toHaveLength(1);
});

test('inbound messages are filtered by sender, recipient and time, newest first', async () => {
  const from = '919800000300';
  const ids = [await receive({ from }), await receive({ from, to: SECOND }), await receive({ from })];
  const newest = ids.toReversed();
  expect((await list(`?from=${from}`)).body.data.map(({ id }) => id)).toEqual(newest);
  expect((await list(`?from=%2B${from}&to=${SECOND}`)).body.data.map(({ id }) => id)).toEqual([ids[1]]);
  const first = await list(`?from=${from}&limit=2`);
  const second = await list(`?from=${from}&limit=2&cursor=${first.body.nextCursor}`);
  expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(newest);
  expect(second.body.nextCursor).toBeNull();
  const [row] = (await list(`?to=${SECOND}`)).body.data as unknown as {
    receivedAt: string;
    chatAccountId: number;
  }[];
  expect((await list(`?from=${from}&receivedTo=${row!.receivedAt}`)).body.data.map(({ id }) => id)).toEqual([
    ids[0],
  ]);
  expect((await list(`?from=${from}&receivedFrom=${row!.receivedAt}`)).body.data.map(({ id }) => id)).toEqual(
    [ids[2], ids[1]],
  );
  expect((await list(`?from=${from}&chatAccountId=${row!.chatAccountId}`)).body.data).toHaveLength(3);
  expect((await list(`?from=${from}&chatAccountId=1`)).body.data).toEqual([]);
});

test('every violation of a filter is named', async () => {
  expectFailure(
    await list('?from=x&to=y&chatAccountId=0&receivedFrom=now&receivedTo=never&limit=0'),
    400,
    'invalid_request',
    [
      'from invalid_format',
      'to invalid_format',
      'chatAccountId out_of_range',
      'limit out_of_range',
      'receivedFrom invalid_format',
      'receivedTo invalid_format',
    ],
  );
  const reversed = await list('?receivedFrom=2026-11-20T00:00:00Z&receivedTo=2026-11-19T00:00:00Z');
  expectFailure(reversed, 400, 'invalid_request', ['receivedTo out_of_range']);
  expect(reversed.body.message).toBe('receivedTo must be after receivedFrom');
});

test("another account neither sees the messages nor writes to this account's senders", async () => {
  const id = await receive();
  const theirs = await receive({ to: '15550100019' }, stranger);
  expect((await list('', stranger)).body.data.map((message) => message.id)).toEqual([theirs]);
  expect(sameForAll(await get(id, stranger))).toBe(sameForAll(await get(randomUUIDv7(), stranger)));
  expectFailure(await get(id, stranger), 404, 'message_not_found');
  expectFailure(await write({}, stranger), 404, 'sender_not_found');
  const { nextCursor } = (await list('?limit=1')).body;
  expectFailure(await list(`?cursor=${nextCursor}`, stranger), 400, 'invalid_request', [
    'cursor invalid_format',
  ]);
  for (const scope of ['verify', 'manage'] as const) {
    expectFailure(await list('', { apikey: await t.addKey(`Only ${scope}`, [scope]) }), 403, 'scope_missing');
  }
});

test('STOP opts a number out, START opts it in again', async () => {
  const from = '919800000400';
  const optOuts = async () =>
    (await t.call<object[]>({ method: 'GET', path: `/v1/opt-outs?recipient=${from}` })).body.data;
  const send = (number: string) =>
    t.call({ path: '/v1/chatapp', body: { from: number, to: from, type: 'text', text: { body: 'Hello' } } });
  await receive({ from, text: { body: ' stop. ' } });
  expectFailure(await send(BUSINESS), 409, 'recipient_opted_out');
  expect((await send(SECOND)).status).toBe(200);
  expect(await optOuts()).toMatchObject([{ recipient: from, sender: BUSINESS, source: 'inbound' }]);
  await receive({ from, to: SECOND, text: { body: 'START' } });
  expect(await optOuts()).toHaveLength(1);
  await receive({ from, text: { body: 'Start' } });
  expect(await optOuts()).toEqual([]);
  expect((await send(BUSINESS)).status).toBe(200);
});

test('a word of the recipient opens the session window of the number it was sent to', async () => {
  const [from, number] = ['919800000500', '15550100013'];
  const { body } = await t.call<{ id: number }>({
    path: '/v1/chat-accounts',
    body: { name: 'Templates first', sessionWindow: 'enforce' },
  });
  await t.call({ path: `/v1/chat-accounts/${body.data.id}/senders`, body: { msisdn: number } });
  const send = () =>
    t.call({ path: '/v1/chatapp', body: { from: number, to: from, type: 'text', text: { body: 'Hello' } } });
  await receive({ from, to: BUSINESS });
  expectFailure(await send(), 409, 'session_window_closed');
  await receive({ from, to: number });
  expect((await send()).status).toBe(200);
  await t.db.query(
    `UPDATE chat_pair SET last_inbound_at = now() - interval '24 hours 1 minute' WHERE recipient = $1`,
    [from],
  );
  expectFailure(await send(), 409, 'session_window_closed');
});

test.each([
  ['button', { text: 'Not for me' }],
  ['interactive', { type: 'button_reply', button_reply: { id: 'today', title: 'Today' } }],
  ['interactive', { type: 'list_reply', list_reply: { id: '7', title: 'Seven', description: 'A row' } }],
])('a simulated customer taps: %s %j', async (type, content) => {
  const id = await receive({ type, text: undefined, [type]: content });

  expect((await get(id)).body.data).toMatchObject({ type, [type]: content });
});

test('a tapped STOP is an opt-out', async () => {
  const from = '919800000410';
  await receive({ from, type: 'button', text: undefined, button: { text: 'Stop' } });

  const { body } = await t.call({ method: 'GET', path: `/v1/opt-outs?recipient=${from}` });
  expect(body.data).toMatchObject([{ sender: BUSINESS, source: 'inbound' }]);
});

test('a simulated customer answers an SMS of any sender, for the own account only', async () => {
  const sms = { channel: 'sms', from: '919800000420', to: 'SIGNALBX' };
  const { id } = (await write({ ...sms, text: { body: 'stop' } })).body.data;
  const [first, again] = [
    await write(sms, { 'idempotency-key': 'sms' }),
    await write(sms, { 'idempotency-key': 'sms' }),
  ];

  expect(again.body.data).toEqual(first.body.data);
  const listed = await t.call<Inbound[]>({ method: 'GET', path: '/v1/sms/inbound?from=919800000420' });
  expect(listed.body.data).toMatchObject([
    { id: first.body.data.id, text: { body: 'YES' } },
    { id, to: 'SIGNALBX', gateway: 'simulator' },
  ]);
  const optOuts = (headers = {}) =>
    t.call({ method: 'GET', path: '/v1/opt-outs?recipient=919800000420', headers });
  expect((await optOuts()).body.data).toMatchObject([{ sender: 'SIGNALBX', source: 'inbound' }]);
  expect((await optOuts(stranger)).body.data).toEqual([]);
});

test('a repeat with the same Idempotency-Key stores one message', async () => {
  const headers = { 'idempotency-key': 'once' };
  const [first, second] = [await write({}, headers), await write({}, headers)];
  expect(second.body.data).toEqual(first.body.data);
  expect(second.headers['idempotent-replayed']).toBe('true');
  expectFailure(await write({ text: { body: 'NO' } }, headers), 422, 'idempotency_key_reused');
});

test('simulated customers who write at the same time delay nobody', async () => {
  const writes = Array.from({ length: 30 }, () => write({ from: '919800000199' }));

  const answers = await Promise.all([...writes, t.call({ body: GOOD_SMS })]);

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('every violation of a simulated message is named', async () => {
  const bad = {
    channel: 'push',
    from: 'x',
    to: ' ',
    type: 'image',
    context: { messageId: 'mine' },
  };
  expectFailure(await write(bad), 400, 'invalid_request', [
    'channel not_allowed_value',
    'from invalid_format',
    'to blank',
    'type not_allowed_value',
    'context.messageId invalid_format',
  ]);
  expectFailure(await write({ text: undefined }), 400, 'invalid_request', ['text required']);
  expectFailure(await write({ text: { body: ' ' }, to: 'SHOP' }), 400, 'invalid_request', [
    'text.body blank',
    'to invalid_format',
  ]);
  expectFailure(
    await write({ type: 'interactive', interactive: { type: 'list_reply' } }),
    400,
    'invalid_request',
    ['interactive.list_reply required'],
  );
  expectFailure(
    await write({ channel: 'sms', type: 'button', button: { text: 'Yes' } }),
    400,
    'invalid_request',
    ['type not_allowed_value'],
  );
  expectFailure(await write({ to: '15559999999' }), 404, 'sender_not_found');
});

test('without SIMULATOR_INBOX there are no simulated customers', async () => {
  await using closed = await startApi();
  expectFailure(await closed.call({ path: '/v1/simulator/inbound', body: {} }), 404, 'route_not_found');
});
