import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Receiver, startReceiver } from '@signalbox/test/receiver';
import {
  type Answer,
  type ApiUnderTest,
  GOOD_SMS,
  expectFailure,
  sameForAll,
  startApi,
} from './api-under-test.ts';

interface OptOut {
  id: string;
  recipient: string;
  sender: string | null;
}

const PATH = '/v1/opt-outs';
const started = new AsyncDisposableStack();
let t: ApiUnderTest;
let receiver: Receiver;

beforeAll(async () => {
  receiver = started.use(await startReceiver());
  t = started.use(await startApi({ workers: ['sms', 'dlr'], env: { SIMULATOR_DELAY_MS: '0' } }));
  await t.call({ path: '/v1/webhooks', body: { name: 'reports', endPoint: receiver.url } });
});
afterAll(async () => started.disposeAsync());

const add = (body: object, headers = {}): Promise<Answer<OptOut[]>> => t.call({ path: PATH, body, headers });
const send = (body: object, headers = {}): Promise<Answer> =>
  t.call({ body: { ...GOOD_SMS, ...body }, headers });

test('a message to an opted-out number is refused, except codes and other senders', async () => {
  expect(
    (await add({ recipient: '+919800000401', sender: 'SIGNALBX', reason: 'asked' })).body.data,
  ).toMatchObject([{ recipient: '919800000401', sender: 'SIGNALBX', source: 'api', reason: 'asked' }]);
  const before = await t.countRows();

  expectFailure(await send({ to: '919800000401' }), 409, 'recipient_opted_out');
  expectFailure(
    await send({ to: '919800000401', type: 'PROMO' }, { 'idempotency-key': 'refused' }),
    409,
    'recipient_opted_out',
  );
  expectFailure(
    await t.call({ path: '/v1/sms?dryRun=true', body: { ...GOOD_SMS, to: '919800000401' } }),
    409,
    'recipient_opted_out',
  );
  expect(await t.countRows()).toEqual(before);

  expect((await send({ to: '919800000401', type: 'OTP' })).status).toBe(200);
  expect((await send({ to: '919800000401', sender: 'OTHER' })).status).toBe(200);
  expect((await send({ to: '919800000402' })).status).toBe(200);
});

test('within a bulk an opted-out number fails with errCode 903, and the rest is sent', async () => {
  await add({ recipients: ['919800000411', '919800000413'] });

  const { body } = await send({ to: ['919800000410', '919800000411', '919800000412', '919800000413'] });

  await receiver.until(
    (received) => received.filter(({ report }) => report['messageId']?.startsWith(body.id)).length === 4,
  );
  const told = receiver.received
    .filter(({ report }) => report['messageId']?.startsWith(body.id))
    .map(({ report }) => `${report['mobileNumber']?.slice(-3)} ${report['status']} ${report['errCode']}`);
  expect(told.toSorted()).toEqual([
    '410 Delivered 000',
    '411 Failed 903',
    '412 Delivered 000',
    '413 Failed 903',
  ]);
});

test('an opt-out applies to messages that are accepted and still pending', async () => {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await send({ to: '919800000421', sendAt });

  await add({ recipient: '919800000421' });
  await t.db.query(`UPDATE submission SET due_at = now() WHERE id = $1`, [body.id]);

  await receiver.until((received) => received.some(({ report }) => report['messageId'] === `${body.id}:1`));
  expect(
    receiver.received.find(({ report }) => report['messageId'] === `${body.id}:1`)?.report,
  ).toMatchObject({
    status: 'Failed',
    errCode: '903',
  });
});

test('a repeated send returns its first answer, although its recipient has opted out since', async () => {
  const first = await send({ to: '919800000431' }, { 'idempotency-key': 'before' });
  await add({ recipient: '919800000431' });

  const repeat = await send({ to: '919800000431' }, { 'idempotency-key': 'before' });

  expect([repeat.status, repeat.body.id]).toEqual([200, first.body.id]);
});

test('an opt-out is listed, found, renewed and deleted, and no longer applies', async () => {
  const [first] = (await add({ recipient: '919800000441' })).body.data;
  const [renewed] = (await add({ recipient: '919800000441', source: 'support' })).body.data;
  const listed = await t.call<OptOut[]>({ method: 'GET', path: `${PATH}?recipient=919800000441&limit=1` });
  expect(listed.body).toMatchObject({ data: [{ id: renewed?.id, source: 'support' }], nextCursor: null });
  expect((await t.call({ method: 'GET', path: `${PATH}/${first?.id}` })).status).toBe(404);
  expect((await t.call({ method: 'GET', path: `${PATH}/${renewed?.id}` })).status).toBe(200);

  const stranger = { apikey: await t.addKey('Stranger') };
  const foreign = await t.call({ method: 'DELETE', path: `${PATH}/${renewed?.id}`, headers: stranger });
  expectFailure(foreign, 404, 'opt_out_not_found');
  expect(sameForAll(foreign)).toBe(
    sameForAll(await t.call({ method: 'DELETE', path: `${PATH}/x`, headers: stranger })),
  );

  expect((await t.call({ method: 'DELETE', path: `${PATH}/${renewed?.id}` })).status).toBe(200);
  expect((await send({ to: '919800000441' })).status).toBe(200);
});

test('opt-outs are listed page by page, and their cursor applies to one account', async () => {
  await add({ recipients: ['919800000451', '919800000452', '919800000451'] });
  const page = await t.call<OptOut[]>({ method: 'GET', path: `${PATH}?limit=1` });
  const next = await t.call<OptOut[]>({
    method: 'GET',
    path: `${PATH}?limit=1&cursor=${page.body.nextCursor}`,
  });
  const recipients = [...page.body.data, ...next.body.data].map(({ recipient }) => recipient);
  expect(recipients.toSorted()).toEqual(['919800000451', '919800000452']);

  const apikey = await t.addKey('Stranger');
  const stolen = await t.call({
    method: 'GET',
    path: `${PATH}?cursor=${page.body.nextCursor}`,
    headers: { apikey },
  });
  expectFailure(stolen, 400, 'invalid_request', ['cursor invalid_format']);
});

test.each<[string, object, string[]]>([
  ['nothing', {}, ['recipient required']],
  ['both forms', { recipient: '919800000401', recipients: ['919800000401'] }, ['recipient not_applicable']],
  ['letters', { recipient: 'abc' }, ['recipient invalid_format']],
  ['a number', { recipient: 919800000401 }, ['recipient invalid_type']],
  ['an empty list', { recipients: [] }, ['recipients too_few_items']],
  [
    '1,001 numbers',
    { recipients: Array.from({ length: 1_001 }, (_, i) => String(919800000000 + i)) },
    ['recipients too_many_items'],
  ],
  [
    'a bad number in a list',
    { recipients: ['919800000401', '12', null] },
    ['recipients[1] invalid_format', 'recipients[2] null_not_allowed'],
  ],
  ['a bad sender', { recipient: '919800000401', sender: '' }, ['sender invalid_format']],
  ['a long reason', { recipient: '919800000401', reason: 'x'.repeat(501) }, ['reason max_length']],
  ['a blank source', { recipient: '919800000401', source: ' ' }, ['source blank']],
])('%s is refused', async (_, body, broken) => {
  expectFailure(await add(body), 400, 'invalid_request', broken);
});

test('a key without the scope is refused', async () => {
  expectFailure(
    await add({ recipient: '919800000401' }, { apikey: await t.addKey('Sender', ['send']) }),
    403,
    'scope_missing',
  );
});
