import { expect, test } from '@jest/globals';
import { type Answer, expectFailure, expectRefused, sameForAll, startSharedApi } from './api-under-test.ts';

const PATH = '/v1/webhooks';

const t = await startSharedApi();

type View = Record<string, unknown> & { id: string };

async function create(body: object): Promise<View> {
  const created = await t.call<View>({ path: PATH, body: { endPoint: 'https://198.41.0.4/hook', ...body } });
  expect(created.status).toBe(201);
  const { secret: _, ...view } = created.body.data;
  return view as View;
}

const change = (id: string, body: object): Promise<Answer<View>> =>
  t.call({ method: 'PATCH', path: `${PATH}/${id}`, body });
const remove = (id: string): Promise<Answer<View>> => t.call({ method: 'DELETE', path: `${PATH}/${id}` });
const get = (id: string): Promise<Answer<View>> => t.call({ method: 'GET', path: `${PATH}/${id}` });

test('a change keeps the settings that it omits', async () => {
  const before = await create({
    name: 'to change',
    fields: ['messageCredit'],
    filters: { type: ['OTP'], sender: ['A'] },
    schedule: [5],
  });

  const changed = await change(before.id, {
    method: 'GET',
    filters: { country: ['IN'] },
    schedule: null,
    ratePerSecond: 7,
  });

  const after = {
    ...before,
    method: 'GET',
    filters: { country: ['IN'] },
    schedule: null,
    ratePerSecond: 7,
    updatedAt: expect.any(String),
  };
  expect([changed.status, changed.body]).toEqual([
    200,
    { data: after, message: 'The webhook was changed.', error: null },
  ]);
  const stored = (await get(before.id)).body.data;
  expect(stored).toEqual(after);
  expect((await change(before.id, {})).body.data).toEqual(stored); // its updatedAt as well
  expect((await change(before.id, changed.body.data)).body.data).toEqual(after);
});

test('a change is checked together with the unchanged settings', async () => {
  const { id } = await create({ name: 'with a query', endPoint: 'https://198.41.0.4/?messageCredit=1' });
  const chat = await create({ name: 'chat', channel: 'chatapp' });

  expect(chat).toMatchObject({
    channel: 'chatapp',
    events: ['message.sent', 'message.status', 'message.received'],
  });
  expect((await change(id, { fields: ['messageCredit'] })).status).toBe(200);
  expectFailure(await change(id, { method: 'GET' }), 400, 'invalid_request', ['endPoint reserved_parameter']);
  expect((await get(id)).body.data).toMatchObject({ method: 'POST' });
  expectFailure(await change(id, { events: ['message.sent'] }), 400, 'invalid_request', [
    'events not_allowed_value',
  ]);
  expect((await change(chat.id, { events: ['message.sent'] })).body.data).toMatchObject({
    events: ['message.sent'],
  });
  expectFailure(await change(chat.id, { method: 'GET' }), 400, 'invalid_request', [
    'method not_allowed_value',
  ]);
});

test('fields that cannot be changed are ignored and named', async () => {
  const { id } = await create({ name: 'of one channel' });

  const changed = await change(id, { channel: 'chatapp', status: 'disabled', secret: 'whsec_x' });

  expect(changed.headers['ignored-fields']).toBe('channel, status, secret');
  expect(changed.body.data).toMatchObject({ channel: 'sms', status: 'enabled' });
});

test('a change to the state that a webhook has keeps its reason and its breaker', async () => {
  const { id } = await create({ name: 'as it is' });
  const breaker = () => t.db.query('SELECT open_level FROM endpoint WHERE webhook_id = $1', [id]);
  await t.db.query('INSERT INTO endpoint (webhook_id, open_level, open_until) VALUES ($1, 2, now())', [id]);

  expect((await change(id, { enabled: true })).body.data).toMatchObject({ status: 'enabled' });
  expect(await breaker()).toEqual([{ open_level: 2 }]);

  await t.db.query(`UPDATE webhook SET disabled_at = now(), disabled_reason = 'gone' WHERE id = $1`, [id]);
  expect((await change(id, { enabled: false })).body.data).toMatchObject({ disabledReason: 'gone' });
  expect((await change(id, { enabled: true })).body.data).toMatchObject({ disabledReason: null });
  expect(await breaker()).toEqual([{ open_level: 0 }]);
});

test('the state of a webhook is a boolean', async () => {
  const { id } = await create({ name: 'not a text' });

  expectFailure(await change(id, { enabled: 'false' }), 400, 'invalid_request', ['enabled invalid_type']);
  expect((await get(id)).body.data).toMatchObject({ status: 'enabled' });
});

test('a change cannot use the name of another webhook', async () => {
  await create({ name: 'taken by one' });
  const { id } = await create({ name: 'another' });

  await expectRefused(
    t,
    { method: 'PATCH', path: `${PATH}/${id}`, body: { name: 'taken by one' } },
    409,
    'name_exists',
  );
  expect((await change(id, { name: 'another' })).status).toBe(200);
});

test('a deleted webhook loses its secrets and frees its name', async () => {
  const { id } = await create({ name: 'short-lived' });

  expect([(await remove(id)).body, (await remove(id)).status]).toEqual([
    { data: { id }, message: 'The webhook was deleted.', error: null },
    404,
  ]);

  for (const gone of [await get(id), await change(id, { name: 'x' })])
    expectFailure(gone, 404, 'webhook_not_found');
  expect(
    (await t.call<View[]>({ method: 'GET', path: PATH })).body.data.map((view) => view.id),
  ).not.toContain(id);
  expect(await t.db.query('SELECT sealed_secret, disabled_reason FROM webhook WHERE id = $1', [id])).toEqual([
    { sealed_secret: Buffer.alloc(0), disabled_reason: 'deleted' },
  ]);
  await create({ name: 'short-lived' });
});

test('a webhook of another tenant looks like an absent one', async () => {
  const { id } = await create({ name: 'mine' });
  const apikey = await t.addKey('Stranger');
  const asStranger = (method: string, of: string) =>
    t.call({
      method,
      path: `${PATH}/${of}`,
      headers: { apikey },
      ...(method === 'PATCH' && { body: { name: 'yours' } }),
    });

  for (const method of ['PATCH', 'DELETE']) {
    const absent = await asStranger(method, crypto.randomUUID());
    expectFailure(absent, 404, 'webhook_not_found');
    expect(sameForAll(await asStranger(method, id))).toBe(sameForAll(absent));
  }
  expect((await get(id)).body.data).toMatchObject({ name: 'mine' });
});
