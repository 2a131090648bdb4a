import { expect, test } from '@jest/globals';
import { WEBHOOK } from '../src/webhooks/webhooks.examples.ts';
import { type Answer, expectFailure, startSharedApi } from './api-under-test.ts';

const PATH = '/v1/webhooks';

const t = await startSharedApi();

interface View {
  id: string;
  name: string;
}

const create = (body: object, apikey = t.p.apiKey): Promise<Answer<View & { secret: string }>> =>
  t.call({ path: PATH, body, headers: { apikey } });
const list = (query: string, apikey: string): Promise<Answer<View[]>> =>
  t.call({ method: 'GET', path: `${PATH}${query}`, headers: { apikey } });

/** Adds an account with webhooks. @returns their names, newest first */
async function setUpAccount(name: string, count: number): Promise<{ apikey: string; names: string[] }> {
  const apikey = await t.addKey(name);
  const names = Array.from({ length: count }, (_, i) => `${name} ${i}`);
  for (const each of names)
    expect((await create({ name: each, endPoint: 'http://127.0.0.1:8080/' }, apikey)).status).toBe(201);
  return { apikey, names: names.toReversed() };
}

test('a new webhook has the documented defaults and shows its secret once', async () => {
  const created = await create({ name: 'reports', endPoint: 'https://198.41.0.4/hook' });

  const { secret, ...view } = created.body.data;
  expect([created.status, created.body.error, created.body.message]).toEqual([
    201,
    null,
    'The webhook was created. Keep the secret: it is not shown again.',
  ]);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(view).toEqual({
    ...WEBHOOK,
    id: expect.any(String),
    endPoint: 'https://198.41.0.4/hook',
    headers: [],
    fields: [],
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
  });
  const found = await t.call({ method: 'GET', path: `${PATH}/${view.id}` });
  expect([found.status, found.body]).toEqual([
    200,
    { data: view, message: 'The webhook was found.', error: null },
  ]);
});

test('a webhook keeps every given setting', async () => {
  const given = {
    name: 'все поля',
    channel: 'sms',
    provider: 'simulator',
    method: 'GET',
    endPoint: 'https://198.41.0.4:8443/a/b?tenant=7',
    headers: [
      { key: 'Message-Id', value: '{{messageId}}' },
      { key: 'X-Circle', value: '{{operatorCircle}}' },
    ],
    fields: ['messageCredit', 'gatewayName'],
    intermediate: true,
    filters: {
      type: ['OTP', 'TRANS'],
      status: ['Sent', 'Failed'],
      sender: ['SIGNALBX'],
      country: ['IN', 'DE'],
    },
    schedule: [1, 60, 86_400],
    maxInFlight: 256,
    ratePerSecond: 10_000,
  };

  const { data } = (await create(given)).body;

  expect((await t.call({ method: 'GET', path: `${PATH}/${data.id}` })).body.data).toMatchObject(given);
});

test('batches are stored, removed by null, and exclude headers', async () => {
  const batch = { max: 100, waitMs: 200 };
  const { data } = (await create({ name: 'batches', endPoint: 'http://127.0.0.1/', batch })).body;
  expect(data).toMatchObject({ batch });
  const change = (body: object) => t.call({ method: 'PATCH', path: `${PATH}/${data.id}`, body });

  const headers = [{ key: 'Message-Id', value: '{{messageId}}' }];
  expectFailure(await change({ headers }), 400, 'invalid_request', ['batch not_allowed_value']);
  expect((await change({ batch: null, headers })).body.data).toMatchObject({ batch: null, headers });
});

test('pages show every webhook once, newest first, while others are created', async () => {
  const { apikey, names } = await setUpAccount('Pages', 5);

  const first = await list('?limit=2', apikey);
  await create({ name: 'created meanwhile', endPoint: 'http://127.0.0.1/' }, apikey);
  const second = await list(`?limit=2&cursor=${first.body.nextCursor}`, apikey);
  const third = await list(`?limit=2&cursor=${second.body.nextCursor}`, apikey);

  expect([first, second, third].flatMap(({ body }) => body.data.map(({ name }) => name))).toEqual(names);
  expect(third.body.nextCursor).toBeNull();
  expect(first.text).not.toContain('whsec_');
});

test('a list that fits on one page has no next page', async () => {
  const { apikey, names } = await setUpAccount('One page', 2);

  const all = await list('?limit=2', apikey);
  expect([all.body.data.map(({ name }) => name), all.body.nextCursor]).toEqual([names, null]);
  expect((await list('', await t.addKey('Empty'))).body).toEqual({
    data: [],
    message: '0 webhooks.',
    error: null,
    nextCursor: null,
  });
});

test('a changed or foreign cursor is refused', async () => {
  const [mine, theirs] = [await setUpAccount('Mine', 2), await setUpAccount('Theirs', 2)];
  const cursor = (await list('?limit=1', mine.apikey)).body.nextCursor ?? '';
  const changed = Array.from(
    cursor,
    (_, i) => cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1),
  );

  expect((await list(`?cursor=${cursor}`, mine.apikey)).status).toBe(200);
  expectFailure(await list(`?cursor=${cursor}`, theirs.apikey), 400, 'invalid_request', [
    'cursor invalid_format',
  ]);
  for (const each of [...changed.slice(0, -1), cursor.slice(0, -1), `${cursor}AAAA`]) {
    expectFailure(await list(`?cursor=${each}`, mine.apikey), 400, 'invalid_request', [
      'cursor invalid_format',
    ]);
  }
});

test('an account has 50 webhooks at most, however many are created at the same time', async () => {
  const { apikey } = await setUpAccount('Full', 45);
  const body = (i: number) => ({ name: `extra ${i}`, endPoint: 'http://127.0.0.1:8080/' });

  const created = await Promise.all(Array.from({ length: 12 }, (_, i) => create(body(i), apikey)));

  const refused = created.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(7);
  expectFailure(refused[0]!, 403, 'limit_reached');
  expect(refused[0]!.body.message).toBe(
    'The account may have 50 webhooks, and this would be more (limit "webhooks").',
  );
  const { id } = created.find(({ status }) => status === 201)!.body.data;
  await t.call({ method: 'DELETE', path: `${PATH}/${id}`, headers: { apikey } });
  expect((await create(body(99), apikey)).status).toBe(201);
});

test('unknown query parameters are refused by name', async () => {
  const answer = await list('?sort=name%3Bdrop%20table&status[$ne]=x', t.p.apiKey);

  expectFailure(answer, 400, 'unknown_parameter', [
    'sort unknown_parameter',
    'status[$ne] unknown_parameter',
  ]);
});
