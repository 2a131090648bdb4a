import { expect, test } from '@jest/globals';
import { sweepPhoneMessages } from '@signalbox/database/ops/phones';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type Answer, GOOD_SMS, expectFailure, startApi, startSharedApi } from './api-under-test.ts';

interface Received {
  messageId: string;
  from: string;
  text: string;
}

const t = await startSharedApi({ workers: ['sms'], env: { SIMULATOR_INBOX: '1', SIMULATOR_DELAY_MS: '0' } });

const look = (phone: string, query = '', headers = {}): Promise<Answer<Received[]>> =>
  t.call({ method: 'GET', path: `/v1/simulator/phones/${phone}/messages${query}`, headers });
const until = (phone: string, count: number): Promise<void> =>
  waitFor(async () => (await look(phone)).body.data.length >= count, {
    otherwise: 'the phone did not receive it',
  });

test('a code is readable on the phone, and sealed in the database', async () => {
  const { body } = await t.call({
    body: { ...GOOD_SMS, to: '919800000501', type: 'OTP', text: 'Your code is 271828' },
  });
  await until('919800000501', 1);

  expect((await look('919800000501')).body).toEqual({
    data: [
      {
        messageId: `${body.id}:1`,
        channel: 'sms',
        from: 'SIGNALBX',
        text: 'Your code is 271828',
        receivedAt: expect.any(String),
      },
    ],
    message: '1 message.',
    error: null,
    nextCursor: null,
  });
  const rows: { text: string }[] = await t.db.query(
    `SELECT phone_message::text || encode(sealed_text, 'escape') AS text FROM phone_message`,
  );
  expect(rows.map(({ text }) => text).join()).not.toContain('271828');
});

test('an absent phone receives nothing, and another account reads nothing', async () => {
  await t.call({ body: { ...GOOD_SMS, to: ['919800000001', '919800000511'] } });
  await until('919800000511', 1);

  expect((await look('919800000001')).body.data).toEqual([]);
  expect((await look('919800000511', '', { apikey: await t.addKey('Stranger') })).body.data).toEqual([]);
  expect((await look('nobody')).body.data).toEqual([]);
});

test('the phones that an account wrote to are listed, the newest first, and those of no other', async () => {
  for (const to of ['919800000541', '919800000542']) {
    await t.call({ body: { ...GOOD_SMS, to } });
    await until(to, 1);
  }
  const phones = (headers = {}) =>
    t.call<{ msisdn: string }[]>({ method: 'GET', path: '/v1/simulator/phones', headers });
  const listed = (await phones()).body.data.map(({ msisdn }) => msisdn);

  expect(listed.slice(0, 2)).toEqual(['919800000542', '919800000541']);
  expect(new Set(listed).size).toBe(listed.length);
  expect((await phones({ apikey: await t.addKey('Other') })).body.data).toEqual([]);
});

test('a damaged message is left out of the list', async () => {
  for (const text of ['good', 'damaged'])
    await t.call({ body: { ...GOOD_SMS, to: '919800000531', type: 'OTP', text } });
  await until('919800000531', 2);
  const [newest] = (await look('919800000531')).body.data;

  await t.db.query(
    `UPDATE phone_message SET sealed_text = set_byte(sealed_text, 24, get_byte(sealed_text, 24) # 1)
      WHERE submission_id = $1`,
    [newest?.messageId.split(':')[0]],
  );

  const { status, body } = await look('919800000531');
  expect([status, body.data.map(({ messageId }) => messageId === newest?.messageId)]).toEqual([200, [false]]);
});

test('messages are listed page by page, and deleted after an hour', async () => {
  for (const text of ['one', 'two']) await t.call({ body: { ...GOOD_SMS, to: '919800000521', text } });
  await until('919800000521', 2);
  const first = await look('919800000521', '?limit=1');
  const second = await look('919800000521', `?limit=1&cursor=${first.body.nextCursor}`);
  expect([...first.body.data, ...second.body.data].map(({ text }) => text).toSorted()).toEqual([
    'one',
    'two',
  ]);
  expectFailure(await look('919800000522', `?cursor=${first.body.nextCursor}`), 400, 'invalid_request', [
    'cursor invalid_format',
  ]);

  await t.db.query(`UPDATE phone_message SET received_at = now() - interval '61 minutes'`);
  await sweepPhoneMessages(t.db);

  expect((await look('919800000521')).body.data).toEqual([]);
  expect(await t.db.query('SELECT count(*)::integer AS count FROM phone_message')).toEqual([{ count: 0 }]);
});

test('without SIMULATOR_INBOX the path does not exist', async () => {
  await using plain = await startApi();

  expectFailure(
    await plain.call({ method: 'GET', path: '/v1/simulator/phones/919800000501/messages' }),
    404,
    'route_not_found',
  );
});
