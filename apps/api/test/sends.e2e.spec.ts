import { beforeAll, expect, jest, test } from '@jest/globals';
import { advanceCancellations } from '@signalbox/database/submissions/cancellations';
import { fanOut, insertSubmissions } from '@signalbox/database/submissions/submissions';
import { newChat, newSubmission } from '@signalbox/test/rows';
import { type Answer, GOOD_SMS, expectFailure, startSharedApi } from './api-under-test.ts';

interface Send {
  id: string;
  channel: string;
  state: string;
  campaignName: string | null;
  totalCount: number;
  statuses: Record<string, number>;
  cancelled: number;
}

interface Cancellation {
  id: string | null;
  status: string | null;
  total: number;
  sends: number;
  cancelled: number;
  examined: number;
  createdAt: string;
}

let accountId: string;

const t = await startSharedApi();

beforeAll(async () => {
  [{ id: accountId }] = (await t.db.query(`SELECT id FROM account LIMIT 1`)) as [{ id: string }];
});

const send = async (given: object = {}, apikey = t.p.apiKey): Promise<string> =>
  (await t.call({ body: { ...GOOD_SMS, ...given }, headers: { apikey } })).body.id;

const get = <D>(path: string, apikey = t.p.apiKey): Promise<Answer<D>> =>
  t.call({ method: 'GET', path, headers: { apikey } });

const cancel = (body: object, apikey = t.p.apiKey): Promise<Answer<Cancellation>> =>
  t.call({ path: '/v1/messages/cancel', body, headers: { apikey } });

test('sends of both channels are listed newest first, page by page, with their progress', async () => {
  const apikey = await t.addKey('Lister');
  const [{ id: lister }] = (await t.db.query(`SELECT id FROM account WHERE name = 'Lister'`)) as [
    { id: string },
  ];
  const bulk = await send({ to: ['919800000301', '919800000302'], campaignName: 'Spring' }, apikey);
  const later = await send({ sendAt: new Date(Date.now() + 3_600_000).toISOString() }, apikey);
  const chat = newChat({ accountId: lister });
  await insertSubmissions(t.db, [chat]);

  const first = await get<Send[]>('/v1/sends?limit=2', apikey);
  const second = await get<Send[]>(`/v1/sends?limit=2&cursor=${first.body.nextCursor}`, apikey);

  expect(first.body.data).toMatchObject([
    { id: chat.id, channel: 'chatapp', state: 'sending' },
    { id: later, channel: 'sms', state: 'scheduled' },
  ]);
  expect(second.body).toMatchObject({
    data: [{ id: bulk, campaignName: 'Spring', totalCount: 2, statuses: { Pending: 2 }, state: 'sending' }],
    nextCursor: null,
  });
  const idsOf = async (query: string) =>
    (await get<Send[]>(`/v1/sends?${query}`, apikey)).body.data.map(({ id }) => id);
  expect(await idsOf('channel=chatapp')).toEqual([chat.id]);
  expect(await idsOf('campaignName=Spring')).toEqual([bulk]);
  expect(await idsOf('sender=SIGNALBX&channel=sms')).toEqual([later, bulk]);
  expect(await idsOf('clientRef=none')).toEqual([]);
  expect(await idsOf('to=2020-01-01T00:00:00Z')).toEqual([]);
});

test('a page ends early when its sends have many messages, and the next continues', async () => {
  const apikey = await t.addKey('Bulks');
  const [{ id }] = (await t.db.query(`SELECT id FROM account WHERE name = 'Bulks'`)) as [{ id: string }];
  const recipients = Array.from({ length: 20_000 }, (_, i) => String(919800000000 + i));
  for (let i = 0; i < 4; i += 1)
    await insertSubmissions(t.db, [newSubmission({ accountId: id, recipients })]);

  const first = await get<Send[]>('/v1/sends', apikey);
  const second = await get<Send[]>(`/v1/sends?cursor=${first.body.nextCursor}`, apikey);

  expect([first, second].map(({ body }) => body.data.map(({ totalCount }) => totalCount))).toEqual([
    [20_000, 20_000, 20_000],
    [20_000],
  ]);
  expect(second.body.nextCursor).toBeNull();
});

test('a send is found and cancelled whatever its channel, and not by another account', async () => {
  const chat = newChat({ accountId });
  await insertSubmissions(t.db, [chat]);
  const stranger = await t.addKey('Stranger');

  const cancelled = await t.call<Send>({ path: `/v1/sends/${chat.id}/cancel` });

  expect(cancelled.body.data).toMatchObject({ state: 'cancelled', cancelled: 1, statuses: { Failed: 1 } });
  expect((await get<Send>(`/v1/sends/${chat.id}`)).body.data).toEqual(cancelled.body.data);
  expectFailure(await get(`/v1/sends/${chat.id}`, stranger), 404, 'message_not_found');
  expectFailure(await get('/v1/sends/none'), 404, 'message_not_found');
});

test('a cancellation counts first, then cancels pending messages that match, and no other', async () => {
  const apikey = await t.addKey('Canceller');
  const waiting = await send({ to: ['919800000401', '919800000402'], campaignName: 'Stop' }, apikey);
  const taken = await send({ to: ['919800000403', '919800000404'], campaignName: 'Stop' }, apikey);
  await fanOut(t.db, [taken], 60);
  await t.db.query(`UPDATE message SET status = 'SENT', sent_at = now() WHERE submission_id = $1 AND n = 1`, [
    taken,
  ]);
  await t.db.query(
    `UPDATE message SET held_until = now() + interval '1 hour' WHERE submission_id = $1 AND n = 2`,
    [taken],
  );
  const other = await send({ campaignName: 'Go on' }, apikey);
  const foreign = await send({ campaignName: 'Stop' });
  const filter = { campaignName: 'Stop' };

  const preview = await cancel({ filter, dryRun: true }, apikey);
  expect([preview.status, preview.body.data]).toMatchObject([200, { id: null, total: 3, sends: 2 }]);
  const started = await cancel({ filter }, apikey);
  expect([started.status, started.body.data]).toMatchObject([201, { status: 'running', total: 3 }]);
  while ((await advanceCancellations(t.db)) > 0);

  const ended = await get<Cancellation>(`/v1/messages/cancellations/${started.body.data.id}`, apikey);
  expect(ended.body.data).toMatchObject({ status: 'done', sends: 2, cancelled: 3, total: 3, examined: 2 });
  const stateOf = async (id: string, key = apikey) =>
    (await get<Send>(`/v1/sends/${id}`, key)).body.data.state;
  expect([await stateOf(waiting), await stateOf(taken), await stateOf(other)]).toEqual([
    'cancelled',
    'cancelled',
    'sending',
  ]);
  expect(await stateOf(foreign, t.p.apiKey)).toBe('sending');
  expect((await get<Send>(`/v1/sends/${taken}`, apikey)).body.data.statuses).toMatchObject({
    Sent: 1,
    Failed: 1,
  });
});

test('a cancellation leaves sends that were accepted after it, and ends over several steps', async () => {
  const apikey = await t.addKey('Many');
  const [{ id }] = (await t.db.query(`SELECT id FROM account WHERE name = 'Many'`)) as [{ id: string }];
  const all = Array.from({ length: 2_500 }, () => newSubmission({ accountId: id }));
  await insertSubmissions(t.db, all);
  const { body } = await cancel({ filter: { channel: 'sms' } }, apikey);
  const path = `/v1/messages/cancellations/${body.data.id}`;

  await advanceCancellations(t.db);
  expect((await get<Cancellation>(path, apikey)).body.data).toMatchObject({
    status: 'running',
    examined: 2_000,
    cancelled: 2_000,
  });
  while ((await advanceCancellations(t.db)) > 0);

  expect((await get<Cancellation>(path, apikey)).body.data).toMatchObject({
    status: 'done',
    total: 2_500,
    cancelled: 2_500,
  });
});

test('a cancellation up to a later time leaves sends that were accepted after it', async () => {
  const apikey = await t.addKey('Until');
  const earlier = await send({}, apikey);
  const to = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await cancel({ filter: { channel: 'sms', to } }, apikey);
  const later = await send({}, apikey);

  while ((await advanceCancellations(t.db)) > 0);

  const stateOf = async (id: string) => (await get<Send>(`/v1/sends/${id}`, apikey)).body.data.state;
  expect([await stateOf(earlier), await stateOf(later)]).toEqual(['cancelled', 'sending']);
  expect(body.data).toMatchObject({ filter: { to: body.data.createdAt } });
});

test('a cancellation cancels what was accepted before it by the clock of the database', async () => {
  const apikey = await t.addKey('Ahead');
  const id = await send({ campaignName: 'Ahead' }, apikey);
  const doNotFake = ['nextTick', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout'] as const;
  jest.useFakeTimers({ now: Date.now() - 4_000, doNotFake: [...doNotFake, 'performance'] });
  try {
    await cancel({ filter: { campaignName: 'Ahead' } }, apikey);
  } finally {
    jest.useRealTimers();
  }

  while ((await advanceCancellations(t.db)) > 0);

  expect((await get<Send>(`/v1/sends/${id}`, apikey)).body.data.state).toBe('cancelled');
});

test('a step of a cancellation reads a bounded number of messages', async () => {
  const apikey = await t.addKey('Large');
  const [{ id }] = (await t.db.query(`SELECT id FROM account WHERE name = 'Large'`)) as [{ id: string }];
  const recipients = Array.from({ length: 10_000 }, (_, i) => String(919_800_000_000 + i));
  const all = Array.from({ length: 12 }, () => newSubmission({ accountId: id, recipients }));
  await insertSubmissions(t.db, all);
  // fanned out, as far as the submissions say; their messages ended long ago
  await t.db.query(`UPDATE submission SET fanned_upto = 10000 WHERE account_id = $1`, [id]);
  const { body } = await cancel({ filter: { channel: 'sms' } }, apikey);
  const path = `/v1/messages/cancellations/${body.data.id}`;

  await advanceCancellations(t.db);
  expect((await get<Cancellation>(path, apikey)).body.data).toMatchObject({
    status: 'running',
    examined: 10,
  });
  await advanceCancellations(t.db);
  expect((await get<Cancellation>(path, apikey)).body.data).toMatchObject({ status: 'done', examined: 12 });
});

test('many cancellations of one account leave room for that of another', async () => {
  const [busy, other] = [await t.addKey('Busy'), await t.addKey('Other')];
  const id = await send({}, other);
  for (let i = 0; i < 60; i += 1) await cancel({ filter: { clientRef: `r${i}` } }, busy);
  await cancel({ filter: { channel: 'sms' } }, other);

  // Each step advances one of the two accounts, drawn at random.
  for (let i = 0; i < 50; i += 1) await advanceCancellations(t.db);

  expect((await get<Send>(`/v1/sends/${id}`, other)).body.data.state).toBe('cancelled');
  while ((await advanceCancellations(t.db)) > 0);
});

test('a stopped cancellation cancels nothing more, and another account cannot see it', async () => {
  const apikey = await t.addKey('Stopper');
  const id = await send({}, apikey);
  const { body } = await cancel({ filter: { channel: 'sms' } }, apikey);
  const path = `/v1/messages/cancellations/${body.data.id}`;

  expectFailure(await get(path), 404, 'cancellation_not_found');
  const stopped = await t.call<Cancellation>({ path: `${path}/stop`, headers: { apikey } });
  while ((await advanceCancellations(t.db)) > 0);

  expect(stopped.body.data.status).toBe('stopped');
  expect((await get<Send>(`/v1/sends/${id}`, apikey)).body.data.state).toBe('sending');
});

test.each<[string, object, string[]]>([
  ['no filter', {}, ['filter required']],
  ['an empty filter', { filter: {} }, ['filter required']],
  ['a filter of nulls', { filter: { channel: null } }, ['filter required']],
  ['text as a filter', { filter: 'all' }, ['filter invalid_type']],
  ['an unknown channel', { filter: { channel: 'fax' } }, ['filter.channel not_allowed_value']],
  ['a time without a zone', { filter: { from: '2026-01-01' } }, ['filter.from invalid_format']],
])('a cancellation with %s is refused', async (_, body, broken) => {
  expectFailure(await cancel(body), 400, 'invalid_request', broken);
});
