import { expect, test } from '@jest/globals';
import { type Answer, expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';

const PATH = '/v1/chat-accounts';

const t = await startSharedApi();

interface View {
  id: number;
  name: string;
  msisdn: string;
}

const make = (path: string, body: object, apikey = t.p.apiKey): Promise<Answer<View>> =>
  t.call({ path: PATH + path, body, headers: { apikey } });
const get = (path: string, apikey = t.p.apiKey): Promise<Answer<View>> =>
  t.call({ method: 'GET', path: PATH + path, headers: { apikey } });
const list = (path: string, apikey = t.p.apiKey): Promise<Answer<View[]>> =>
  t.call({ method: 'GET', path: PATH + path, headers: { apikey } });

test('a chat account gets a numeric id, and is found, renamed and deleted', async () => {
  const created = await make('', { name: 'Shop' });
  const { id } = created.body.data;
  const view = {
    id,
    name: 'Shop',
    sessionWindow: 'off',
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
  };
  expect([created.status, created.body]).toEqual([
    201,
    { data: view, message: 'The chat account was created.', error: null },
  ]);
  expect(Number.isSafeInteger(id)).toBe(true);

  expect((await get(`/${id}`)).body.data).toEqual(created.body.data);
  const renamed = await t.call<View>({ method: 'PATCH', path: `${PATH}/${id}`, body: { name: 'Shop 2' } });
  expect([renamed.status, renamed.body.data.name]).toEqual([200, 'Shop 2']);

  expect((await t.call({ method: 'DELETE', path: `${PATH}/${id}` })).body).toEqual({
    data: { id },
    message: 'The chat account was deleted.',
    error: null,
  });
  expectFailure(await get(`/${id}`), 404, 'chat_account_not_found');
  expectFailure(await t.call({ method: 'DELETE', path: `${PATH}/${id}` }), 404, 'chat_account_not_found');
});

test('the session window and the rate of a sender are set and changed on their own', async () => {
  interface Settings {
    id: number;
    name: string;
    sessionWindow: string;
    messagesPerSecond: number;
  }
  const patch = async (path: string, body: object) =>
    (await t.call<Settings>({ method: 'PATCH', path: `${PATH}/${path}`, body })).body.data;
  const { id } = (await make('', { name: 'Window', sessionWindow: 'enforce' })).body.data;
  expect(await patch(String(id), { name: 'Window 2' })).toMatchObject({
    name: 'Window 2',
    sessionWindow: 'enforce',
  });
  expect(await patch(String(id), { sessionWindow: 'off' })).toMatchObject({
    name: 'Window 2',
    sessionWindow: 'off',
  });
  expect(await patch(String(id), {})).toMatchObject({ name: 'Window 2', sessionWindow: 'off' });

  const added = await make(`/${id}/senders`, { msisdn: '15550500001', messagesPerSecond: 1_000 });
  expect(added.body.data).toMatchObject({ messagesPerSecond: 1_000 });
  expect(await patch(`${id}/senders/+15550500001`, { messagesPerSecond: 5 })).toMatchObject({
    msisdn: '15550500001',
    messagesPerSecond: 5,
  });
  expect((await list(`/${id}/senders`)).body.data).toMatchObject([{ messagesPerSecond: 5 }]);
});

test('a name is unique within an account until its chat account is deleted', async () => {
  const { id } = (await make('', { name: 'Once' })).body.data;
  const other = (await make('', { name: 'Other' })).body.data;

  expectFailure(await make('', { name: 'Once' }), 409, 'name_exists');
  expectFailure(
    await t.call({ method: 'PATCH', path: `${PATH}/${other.id}`, body: { name: 'Once' } }),
    409,
    'name_exists',
  );
  expect((await make('', { name: 'Once' }, await t.addKey('Namesake'))).status).toBe(201);
  await t.call({ method: 'DELETE', path: `${PATH}/${id}` });
  expect((await make('', { name: 'Once' })).status).toBe(201);
});

test('a repeat with the same idempotency key creates nothing', async () => {
  const call = { path: PATH, body: { name: 'Keyed' }, headers: { 'idempotency-key': 'chat account 1' } };

  const [first, again] = [await t.call<View>(call), await t.call<View>(call)];

  expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([201, first.body, 'true']);
  expectFailure(await t.call({ ...call, body: { name: 'Keyed too' } }), 422, 'idempotency_key_reused');
});

test('pages of chat accounts and of senders show each once', async () => {
  const apikey = await t.addKey('Pages of chat accounts');
  const ids = [];
  for (const name of ['a', 'b', 'c']) ids.push((await make('', { name }, apikey)).body.data.id);
  for (const msisdn of ['15550200', '155502000', '+15550200001'])
    await make(`/${ids[0]}/senders`, { msisdn }, apikey);

  const first = await list('?limit=2', apikey);
  const second = await list(`?limit=2&cursor=${first.body.nextCursor}`, apikey);
  expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids.toReversed());
  expect(second.body.nextCursor).toBeNull();

  const senders = await list(`/${ids[0]}/senders?limit=2`, apikey);
  const rest = await list(`/${ids[0]}/senders?limit=2&cursor=${senders.body.nextCursor}`, apikey);
  expect([...senders.body.data, ...rest.body.data].map(({ msisdn }) => msisdn)).toEqual([
    '15550200',
    '155502000',
    '15550200001',
  ]);
  expectFailure(
    await list(`/${ids[1]}/senders?cursor=${senders.body.nextCursor}`, apikey),
    400,
    'invalid_request',
    ['cursor invalid_format'],
  );
});

test('a number belongs to one chat account, which no answer names', async () => {
  const { id } = (await make('', { name: 'Owner' })).body.data;
  const apikey = await t.addKey('Another tenant');
  const theirs = (await make('', { name: 'Theirs' }, apikey)).body.data;
  const own = await make(`/${id}/senders`, { msisdn: '+15550300001' });
  expect([own.status, own.body.data]).toEqual([
    201,
    { msisdn: '15550300001', messagesPerSecond: 80, createdAt: expect.stringMatching(/Z$/) },
  ]);

  const [mine, foreign] = [
    await make(`/${id}/senders`, { msisdn: '15550300001' }),
    await make(`/${theirs.id}/senders`, { msisdn: '15550300001' }, apikey),
  ];
  expectFailure(foreign, 403, 'sender_unavailable');
  expect(sameForAll(foreign)).toBe(sameForAll(mine));
});

test('the number of a deleted sender is added again by its account and by no other', async () => {
  const { id } = (await make('', { name: 'Deleter' })).body.data;
  const apikey = await t.addKey('Squatter');
  const theirs = (await make('', { name: 'Theirs' }, apikey)).body.data;
  await make(`/${id}/senders`, { msisdn: '15550300002' });

  const deleted = await t.call({ method: 'DELETE', path: `${PATH}/${id}/senders/+15550300002` });

  expect(deleted.body.data).toEqual({ msisdn: '15550300002' });
  const refused = await make(`/${theirs.id}/senders`, { msisdn: '15550300002' }, apikey);
  expectFailure(refused, 403, 'sender_unavailable');
  expect((await make(`/${id}/senders`, { msisdn: '15550300002' })).status).toBe(201);
  await t.call({ method: 'DELETE', path: `${PATH}/${id}` });
  expect(sameForAll(await make(`/${theirs.id}/senders`, { msisdn: '15550300002' }, apikey))).toBe(
    sameForAll(refused),
  );
});

test('chat accounts and senders of another tenant look like absent ones', async () => {
  const { id } = (await make('', { name: 'Hidden' })).body.data;
  await make(`/${id}/senders`, { msisdn: '15550400001' });
  const apikey = await t.addKey('Stranger');
  const call = (method: string, path: string, body?: object) =>
    t.call({ method, path: PATH + path, headers: { apikey }, body });

  for (const absent of ['1', '999999999999999', '9'.repeat(400), 'x', '0', '-1', '1e3']) {
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'mine now' }],
      ['DELETE', '', undefined],
      ['GET', '/senders', undefined],
      ['POST', '/senders', { msisdn: '15550400002' }],
      ['PATCH', '/senders/15550400001', { messagesPerSecond: 1 }],
      ['DELETE', '/senders/15550400001', undefined],
    ] as const) {
      const answer = await call(method, `/${id}${rest}`, body);
      expect(answer.status).toBe(404);
      expect(sameForAll(answer)).toBe(sameForAll(await call(method, `/${absent}${rest}`, body)));
    }
  }
  expect((await list(`/${id}/senders`)).body.data).toHaveLength(1);
});

test.each([
  ['no name', '', {}, ['name required']],
  ['a blank name', '', { name: ' ' }, ['name blank']],
  ['a long name', '', { name: 'n'.repeat(101) }, ['name max_length']],
  ['another session window', '', { name: 'x', sessionWindow: 'on' }, ['sessionWindow not_allowed_value']],
  [
    'a sender that is too fast',
    '/1/senders',
    { msisdn: '15550100002', messagesPerSecond: 1_001 },
    ['messagesPerSecond out_of_range'],
  ],
  [
    'a sender that never sends',
    '/1/senders',
    { msisdn: '15550100002', messagesPerSecond: 0 },
    ['messagesPerSecond out_of_range'],
  ],
  [
    'half a message',
    '/1/senders',
    { msisdn: '15550100002', messagesPerSecond: 1.5 },
    ['messagesPerSecond invalid_type'],
  ],
  ['no number', '/1/senders', {}, ['msisdn required']],
  ['a number as a number', '/1/senders', { msisdn: 15550100002 }, ['msisdn invalid_type']],
  ['a short number', '/1/senders', { msisdn: '12345' }, ['msisdn invalid_format']],
])('%s is refused', async (_, path, body, broken) => {
  expectFailure(await make(path, body), 400, 'invalid_request', broken);
});

test('a key without the scope manage changes nothing, and reads with the scope send only', async () => {
  const sending = await t.addKey('No manager', ['send', 'templates']);
  const verifying = await t.addKey('No manager', ['verify']);
  expectFailure(await make('', { name: 'x' }, sending), 403, 'scope_missing');
  expect((await list('', sending)).status).toBe(200);
  expectFailure(await list('', verifying), 403, 'scope_missing');
});
