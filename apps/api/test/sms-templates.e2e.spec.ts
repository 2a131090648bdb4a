import { expect, test } from '@jest/globals';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import {
  type Answer,
  type Call,
  GOOD_SMS,
  expectFailure,
  sameForAll,
  startSharedApi,
} from './api-under-test.ts';

const PATH = '/v1/sms/templates';
const NOBODYS = '019e6f0b-2d31-7c0a-8f5e-5b1d9f0c3a42';

interface Template {
  id: string;
  name: string;
  text: string;
  sender: string | null;
}

const t = await startSharedApi();

let made = 0;

async function create(fields: object = {}, headers: Record<string, string> = {}): Promise<Answer<Template>> {
  made += 1;
  return t.call<Template>({
    path: PATH,
    headers,
    body: { name: `template ${made}`, text: 'Hi {{1}}', ...fields },
  });
}

function on(id: string, call: Call = { method: 'GET' }): Promise<Answer<Template>> {
  return t.call<Template>({ path: `${PATH}/${id}`, ...call });
}

test('a template is created, found, changed and deleted', async () => {
  const fields = {
    text: 'Rs {#var#} due {#var#}',
    sender: 'SIGNALBX',
    type: 'TRANS',
    dltEntityId: '1101',
    dltTemplateId: '1107',
  };
  const created = await create(fields);
  const { id } = created.body.data;

  expect([created.status, created.body]).toMatchObject([
    201,
    { data: { ...fields, variables: 2 }, error: null },
  ]);
  expect((await on(id)).body.data).toEqual(created.body.data);

  const changed = await on(id, { method: 'PATCH', body: { text: 'Hello', sender: null } });
  expect(changed.body.data).toMatchObject({
    name: created.body.data.name,
    text: 'Hello',
    variables: 0,
    sender: null,
    dltEntityId: '1101',
  });

  const deleted = await on(id, { method: 'DELETE' });
  expect([deleted.status, deleted.body.data]).toEqual([200, { id }]);
  expectFailure(await on(id), 404, 'sms_template_not_found');
});

test('a name is unique in an account, for creation and change', async () => {
  await create({ name: 'taken' });
  const other = await create();
  const elsewhere = await t.addKey('somebody else');

  expectFailure(await create({ name: 'taken' }), 409, 'name_exists');
  expectFailure(
    await on(other.body.data.id, { method: 'PATCH', body: { name: 'taken' } }),
    409,
    'name_exists',
  );
  expect((await on(other.body.data.id)).body.data).toEqual(other.body.data);
  expect((await create({ name: 'taken' }, { apikey: elsewhere })).status).toBe(201);
});

test('a creation with an idempotency key happens once', async () => {
  const headers = { 'idempotency-key': 'a template' };
  const first = await create({ name: 'once' }, headers);
  const again = await create({ name: 'once' }, headers);

  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
  expectFailure(await create({ name: 'twice' }, headers), 422, 'idempotency_key_reused');
});

test("another account's template is absent, as if it never existed", async () => {
  const apikey = await t.addKey('a stranger');
  const { id } = (await create()).body.data;
  const calls: Call[] = [{ method: 'GET' }, { method: 'PATCH', body: { name: 'x' } }, { method: 'DELETE' }];

  for (const call of calls) {
    const foreign = await on(id, { ...call, headers: { apikey } });
    expectFailure(foreign, 404, 'sms_template_not_found');
    expect(sameForAll(await on(NOBODYS, { ...call, headers: { apikey } }))).toBe(sameForAll(foreign));
    expectFailure(await on('not-an-id', { ...call, headers: { apikey } }), 404, 'sms_template_not_found');
  }
  const send = { body: { ...GOOD_SMS, text: undefined, templateId: id, custom: ['x'] }, headers: { apikey } };
  expectFailure(await t.call(send), 404, 'sms_template_not_found');
  expect((await on(id)).status).toBe(200);
});

test('templates are listed page by page, and a cursor applies to one account', async () => {
  const apikey = await t.addKey('a lister');
  for (const name of ['a', 'b', 'c']) await create({ name }, { apikey });
  const page = (query: string, key = apikey): Promise<Answer<Template[]>> =>
    t.call<Template[]>({ method: 'GET', path: `${PATH}${query}`, headers: { apikey: key } });

  const first = await page('?limit=2');
  const second = await page(`?limit=2&cursor=${first.body.nextCursor}`);

  expect([...first.body.data, ...second.body.data].map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  expect(second.body.nextCursor).toBeNull();
  expectFailure(await page(`?cursor=${first.body.nextCursor}`, t.p.apiKey), 400, 'invalid_request', [
    'cursor invalid_format',
  ]);
  expectFailure(await page('?limit=201'), 400, 'invalid_request', ['limit out_of_range']);
});

test('a repeated send returns its first answer, although its template was deleted since', async () => {
  const { id } = (await create()).body.data;
  const body = { ...GOOD_SMS, text: undefined, templateId: id, custom: ['Ann'] };
  const headers = { 'idempotency-key': 'with a template' };
  const first = await t.call({ body, headers });
  await on(id, { method: 'DELETE' });
  await waitFor(async () => (await t.call({ body })).status === 404, {
    otherwise: 'the template is still sent',
  });

  const again = await t.call({ body, headers });

  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([200, 'true', first.body]);
  expectFailure(await t.call({ body: { ...body, custom: ['Bea'] }, headers }), 422, 'idempotency_key_reused');
});

test('templates need the scope manage', async () => {
  const apikey = await t.addKey('a sender', ['send']);

  expectFailure(await create({}, { apikey }), 403, 'scope_missing');
});

test.each([
  ['no name', { name: undefined }, 'name required'],
  ['a blank name', { name: ' ' }, 'name blank'],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name max_length'],
  ['no text', { text: undefined }, 'text required'],
  ['a blank text', { text: '\n' }, 'text blank'],
  ['a number as a text', { text: 1 }, 'text invalid_type'],
  ['a text of 2,001 characters', { text: 'x'.repeat(2_001) }, 'text max_length'],
  ['a gap between values', { text: '{{1}} {{3}}' }, 'text invalid_placeholder'],
  ['an unknown placeholder', { text: '{{name}}' }, 'text invalid_placeholder'],
  ['a sender that cannot be one', { sender: 'A B\r\nX' }, 'sender invalid_format'],
  ['a number as a sender', { sender: 123 }, 'sender invalid_type'],
  ['an unknown type', { type: 'TRANSIT' }, 'type not_allowed_value'],
  ['a DLT id with a line end', { dltTemplateId: '1\n' }, 'dltTemplateId invalid_format'],
  ['a number as a DLT id', { dltEntityId: 1 }, 'dltEntityId invalid_type'],
])('a template with %s is refused, in creating and in changing', async (_, fields, broken) => {
  const { id } = (await create()).body.data;

  expectFailure(await create(fields), 400, 'invalid_request', [broken]);
  if (!broken.endsWith('required')) {
    expectFailure(await on(id, { method: 'PATCH', body: fields }), 400, 'invalid_request', [broken]);
  }
});

test('a template with short links has type TRANS or any', async () => {
  const text = 'Hi {{1}}: {{shortUrl}}';
  expectFailure(await create({ text, type: 'PROMO' }), 400, 'invalid_request', ['type not_allowed_value']);
  const { id } = (await create({ text, type: 'TRANS' })).body.data;
  const change = (body: object) => on(id, { method: 'PATCH', body });
  expectFailure(await change({ type: 'OTP' }), 400, 'invalid_request', ['type not_allowed_value']);
  expect((await change({ type: 'OTP', text: 'Hi {{1}}' })).status).toBe(200);
  expectFailure(await change({ text }), 400, 'invalid_request', ['type not_allowed_value']);
  expect((await on(id)).body.data).toMatchObject({ type: 'OTP', text: 'Hi {{1}}' });
});
