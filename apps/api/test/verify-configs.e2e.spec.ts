import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { CONFIG } from '../src/verify/verify-configs.examples.ts';
import { type Answer, expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';
import { createConfig } from './verify-under-test.ts';

const PATH = '/v1/verify/configs';

const t = await startSharedApi();

type View = Record<string, unknown> & { id: string };

const create = (body: object, headers: Record<string, string> = {}): Promise<Answer<View>> =>
  t.call({ path: PATH, body, headers });
const get = (id: string, apikey = t.p.apiKey): Promise<Answer<View>> =>
  t.call({ method: 'GET', path: `${PATH}/${id}`, headers: { apikey } });
const change = (id: string, body: object): Promise<Answer<View>> =>
  t.call({ method: 'PATCH', path: `${PATH}/${id}`, body });
const remove = (id: string): Promise<Answer<View>> => t.call({ method: 'DELETE', path: `${PATH}/${id}` });

test('a new configuration has the documented defaults', async () => {
  const { status, body } = await create({ name: 'defaults', sender: 'SIGNALBX' });

  expect([status, body.message]).toEqual([201, 'The verification configuration was created.']);
  expect(body.data).toEqual({
    ...CONFIG,
    id: expect.any(String),
    name: 'defaults',
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
  });
  expect((await get(body.data.id)).body.data).toEqual(body.data);
});

test('the code of a test number is stored sealed and never shown', async () => {
  const { body } = await create(
    {
      name: 'with tests',
      sender: 'SIGNALBX',
      testNumbers: [{ number: '+919800000199', code: 'SECRET4242', until: '2030-01-01T00:00:00+01:00' }],
    },
    { 'idempotency-key': 'tests' },
  );

  expect(body.data['testNumbers']).toEqual([{ number: '919800000199', until: '2029-12-31T23:00:00.000Z' }]);
  const [row] = await t.db.query('SELECT c::text AS row FROM verification_config c WHERE id = $1', [
    body.data.id,
  ]);
  expect((row as { row: string }).row).not.toContain('SECRET4242');
});

test('a change replaces the given fields, and null removes a last line', async () => {
  const { body } = await create({
    name: 'to change',
    sender: 'SIGNALBX',
    webOtpDomain: 'example.com',
    ttlSeconds: 120,
  });

  const changed = await change(body.data.id, {
    webOtpDomain: null,
    androidHash: 'FA+9qCX9VSu',
    maxAttempts: 3,
  });

  const after = {
    ...body.data,
    webOtpDomain: null,
    androidHash: 'FA+9qCX9VSu',
    maxAttempts: 3,
    updatedAt: expect.any(String),
  };
  expect([changed.status, changed.body.data]).toEqual([200, after]);
  expect((await get(body.data.id)).body.data).toEqual(after);
});

test('a change is checked together with the unchanged settings', async () => {
  const { body } = await create({ name: 'judged', sender: 'SIGNALBX', webOtpDomain: 'example.com' });

  expectFailure(await change(body.data.id, { androidHash: 'FA+9qCX9VSu' }), 400, 'invalid_request', [
    'androidHash not_allowed_value',
  ]);
  expect((await get(body.data.id)).body.data).toEqual(body.data);
});

test('the size of a changed text is checked with the stored length of codes', async () => {
  const text = `${'x'.repeat(1_526)}{{code}}`;
  const { status, body } = await create({ name: 'long', sender: 'SIGNALBX', codeLength: 4, text });

  const changed = await change(body.data.id, { text: text.replace('x', 'y') });

  expect([status, changed.status]).toEqual([201, 200]);
  expectFailure(await change(body.data.id, { codeLength: 5 }), 400, 'invalid_request', ['text max_length']);
});

test('a change returns the time that later reads show', async () => {
  const { id } = (await create({ name: 'times', sender: 'SIGNALBX' })).body.data;

  const changed = await change(id, { maxAttempts: 3 });

  expect((await get(id)).body.data['updatedAt']).toBe(changed.body.data['updatedAt']);
});

test.each([
  ['test_numbers', '5'],
  ['test_numbers', '[null]'],
  ['flow', '[null]'],
])('a configuration whose %s are %s is listed, and can be corrected', async (column, value) => {
  const apikey = await t.addKey(`Damaged ${column} ${value}`);
  const damaged = await createConfig(t, {}, apikey);
  const sound = await createConfig(t, {}, apikey);
  await t.db.query(`UPDATE verification_config SET ${column} = $2 WHERE id = $1`, [damaged, value]);
  const call = (method: string, path: string, body?: object) =>
    t.call<View[]>({ method, path, headers: { apikey }, ...(body && { body }) });

  const listed = await call('GET', PATH);
  const mended = await call('PATCH', `${PATH}/${damaged}`, { channel: 'sms', testNumbers: [] });

  expect([listed.status, listed.body.data?.map(({ id }) => id)]).toEqual([200, [sound, damaged]]);
  expect([mended.status, (await call('GET', `${PATH}/${damaged}`)).status]).toEqual([200, 200]);
  expect(mended.body.data).toMatchObject({ flow: [{ channel: 'sms', afterSeconds: 0 }], testNumbers: [] });
});

test('a name is unique within an account until its configuration is deleted', async () => {
  const other = await t.addKey('Other');
  const [first, second] = [
    (await create({ name: 'mine', sender: 'A' })).body.data.id,
    (await create({ name: 'second', sender: 'A' })).body.data.id,
  ];

  expectFailure(await create({ name: 'mine', sender: 'A' }), 409, 'name_exists');
  expectFailure(await change(second, { name: 'mine' }), 409, 'name_exists');
  expect((await create({ name: 'mine', sender: 'A' }, { apikey: other })).status).toBe(201);
  expect((await remove(first)).status).toBe(200);
  expect((await change(second, { name: 'mine' })).status).toBe(200);
});

test('unknown, deleted, foreign and malformed configuration ids get the same answer', async () => {
  const id = await createConfig(t);
  const theirs = await createConfig(t, {}, await t.addKey('Other'));
  await remove(id);

  const answers = [];
  for (const absent of [id, theirs, randomUUIDv7(), 'x', "'; DROP TABLE verification_config"]) {
    answers.push(
      await get(encodeURIComponent(absent)),
      await change(encodeURIComponent(absent), {}),
      await remove(encodeURIComponent(absent)),
    );
  }

  for (const answer of answers) expectFailure(answer, 404, 'verification_config_not_found');
  expect(new Set(answers.map(sameForAll)).size).toBe(1);
});

test('a list is newest first and paged, with cursors of its account', async () => {
  const apikey = await t.addKey('Pages');
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) ids.unshift(await createConfig(t, { name: `page ${i}` }, apikey));
  const list = (query: string, key = apikey): Promise<Answer<View[]>> =>
    t.call({ method: 'GET', path: `${PATH}${query}`, headers: { apikey: key } });

  const first = await list('?limit=2');
  const second = await list(`?limit=2&cursor=${first.body.nextCursor}`);

  expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids);
  expect(second.body.nextCursor).toBeNull();
  expectFailure(await list(`?cursor=${first.body.nextCursor}`, t.p.apiKey), 400, 'invalid_request', [
    'cursor invalid_format',
  ]);
});

test('a repeated creation creates one configuration', async () => {
  const body = { name: 'once', sender: 'SIGNALBX' };
  const [first, second] = [
    await create(body, { 'idempotency-key': 'k' }),
    await create(body, { 'idempotency-key': 'k' }),
  ];

  expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
  expect(second.text).toBe(first.text);
});

test('configurations require the scope manage', async () => {
  const apikey = await t.addKey('Narrow', ['verify', 'send']);

  expectFailure(await create({ name: 'x', sender: 'A' }, { apikey }), 403, 'scope_missing');
  expectFailure(
    await t.call({
      path: '/v1/verify',
      body: {},
      headers: { apikey: await t.addKey('Send', ['send', 'manage']) },
    }),
    403,
    'scope_missing',
  );
});

const TEST_NUMBER = { number: '919800000100', code: '424242', until: '2030-01-01T00:00:00Z' };

test.each<[string, object, string[]]>([
  ['no name', { name: undefined }, ['name required']],
  ['a blank name', { name: ' ' }, ['name blank']],
  ['101 characters as a name', { name: 'x'.repeat(101) }, ['name max_length']],
  ['no sender', { sender: undefined }, ['sender required']],
  ['12 characters as a sender', { sender: 'SIGNALBOXABC' }, ['sender invalid_format']],
  ['an unknown channel', { channel: 'pigeon' }, ['channel not_allowed_value']],
  ['a code of 3 characters', { codeLength: 3 }, ['codeLength out_of_range']],
  ['a code of 11 characters', { codeLength: 11 }, ['codeLength out_of_range']],
  ['a negative length', { codeLength: -1 }, ['codeLength out_of_range']],
  ['half a character', { codeLength: 4.5 }, ['codeLength invalid_type']],
  ['a length in quotes', { codeLength: '6' }, ['codeLength invalid_type']],
  ['an unknown alphabet', { alphabet: 'emoji' }, ['alphabet not_allowed_value']],
  ['a lifetime of 59 s', { ttlSeconds: 59 }, ['ttlSeconds out_of_range']],
  ['a lifetime of more than an hour', { ttlSeconds: 3_601 }, ['ttlSeconds out_of_range']],
  ['no tries', { maxAttempts: 0 }, ['maxAttempts out_of_range']],
  ['no cooldown', { resendAfterSeconds: 0 }, ['resendAfterSeconds out_of_range']],
  ['a text without the code', { text: 'Hello' }, ['text required']],
  ['a blank text', { text: ' ' }, ['text blank']],
  ['an unknown placeholder', { text: '{{code}} {{name}}' }, ['text not_allowed_value']],
  ['a text of 11 parts', { text: `{{code}}${'न'.repeat(670)}` }, ['text max_length']],
  ['a URL as a domain', { webOtpDomain: 'https://example.com/' }, ['webOtpDomain invalid_format']],
  ['a number as a domain', { webOtpDomain: 5 }, ['webOtpDomain invalid_type']],
  ['test numbers that are no array', { testNumbers: {} }, ['testNumbers invalid_type']],
  ['null as a test number', { testNumbers: [null] }, ['testNumbers[0] null_not_allowed']],
  [
    'a test number twice',
    { testNumbers: [TEST_NUMBER, { ...TEST_NUMBER, number: '+919800000100' }] },
    ['testNumbers[1].number duplicate_item'],
  ],
  [
    'a bad test number',
    { testNumbers: [{ number: 'x', code: '42', until: 'soon' }] },
    [
      'testNumbers[0].number invalid_format',
      'testNumbers[0].code invalid_format',
      'testNumbers[0].until invalid_format',
    ],
  ],
  [
    'a day that there is not',
    { testNumbers: [{ ...TEST_NUMBER, until: '2030-02-30T00:00:00Z' }] },
    ['testNumbers[0].until invalid_format'],
  ],
  [
    '21 test numbers',
    {
      testNumbers: Array.from({ length: 21 }, (_, i) => ({
        ...TEST_NUMBER,
        number: String(919_800_000_100 + i),
      })),
    },
    ['testNumbers too_many_items'],
  ],
  [
    'everything wrong at once',
    { name: 5, enabled: 'yes', text: 1 },
    ['enabled invalid_type', 'text invalid_type', 'name invalid_type'],
  ],
])('%s is refused', async (_name, fields, broken) => {
  const refused = await create({ name: `bad ${randomUUIDv7()}`, sender: 'SIGNALBX', ...fields });

  expect([
    refused.status,
    refused.body.error?.details.map(({ field, rule }) => `${field} ${rule}`).toSorted(),
  ]).toEqual([400, broken.toSorted()]);
});

test.each([
  '2030',
  '2030-01-01',
  '2030-01-01T00:00:00',
  '2030-01-01T10',
  '2030-01-01T10:00,5Z',
  '20300101T000000Z',
  '2030-W05',
  '2030-W05-1',
  '2030-200',
  '2030-02-30T00:00:00Z',
])('a test number until %s is refused', async (until) => {
  const testNumbers = [{ number: '919800000199', code: '4242', until }];
  const { id } = (await create({ name: `until ${until}`, sender: 'SIGNALBX' })).body.data;
  const broken = ['testNumbers[0].until invalid_format'];

  expectFailure(await create({ name: 'x', sender: 'A', testNumbers }), 400, 'invalid_request', broken);
  expectFailure(await change(id, { testNumbers }), 400, 'invalid_request', broken);
});

test.each([-1, 0, 3, 11, 1.5, 1e300])('a code length of %s is refused', async (codeLength) => {
  const { status, body } = await create({ name: 'length', sender: 'SIGNALBX', codeLength });

  expect([status, body.error.details.map(({ field }) => field)]).toEqual([400, ['codeLength']]);
});
