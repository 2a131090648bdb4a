import { beforeAll, expect, test } from '@jest/globals';
import { type BadInput, expectRefused, startSharedApi } from './api-under-test.ts';

const PATH = '/v1/webhooks';
const GOOD = {
  name: 'reports',
  endPoint: 'https://198.41.0.4/reports',
  headers: [{ key: 'Message-Id', value: '{{messageId}}' }],
};

let idToChange: string;

const t = await startSharedApi({ env: { ALLOW_PRIVATE_WEBHOOKS: '0' } });

beforeAll(async () => {
  const { body } = await t.call<{ id: string }>({ path: PATH, body: { ...GOOD, name: 'to change' } });
  idToChange = body.data.id;
});

/** A good call with these fields replaced; undefined removes a field. */
function refused(name: string, fields: Record<string, unknown>, ...broken: string[]): BadInput {
  return [name, { path: PATH, body: { ...GOOD, ...fields } }, 400, 'invalid_request', broken];
}

const forbidden = (endPoints: string[]): BadInput[] =>
  endPoints.map((endPoint) =>
    refused(`the endpoint ${endPoint}`, { endPoint }, 'endPoint endpoint_forbidden'),
  );
const malformed = (endPoint: string, rule: string): BadInput =>
  refused(`the endpoint ${JSON.stringify(endPoint).slice(0, 60)}`, { endPoint }, `endPoint ${rule}`);
const badKey = (key: unknown, rule: string): BadInput =>
  refused(
    `the header key ${JSON.stringify([key]).slice(0, 40)}`,
    { headers: [{ key, value: '{{status}}' }] },
    `headers[0].key ${rule}`,
  );
const badValue = (value: unknown, rule: string): BadInput =>
  refused(
    `the header value ${JSON.stringify(value)}`,
    { headers: [{ key: 'X', value }] },
    `headers[0].value ${rule}`,
  );

const rows: BadInput[] = [
  refused('no name', { name: undefined }, 'name required'),
  refused('a blank name', { name: ' \t' }, 'name blank'),
  refused('a name of 101 characters', { name: 'n'.repeat(101) }, 'name max_length'),
  refused('a number as a name', { name: 7 }, 'name invalid_type'),
  refused('an unknown channel', { channel: 'fax' }, 'channel not_allowed_value'),
  refused('a blank provider', { provider: '' }, 'provider not_allowed_value'),
  refused('a misspelled provider', { provider: 'simulater' }, 'provider not_allowed_value'),
  refused('the method PUT', { method: 'PUT' }, 'method not_allowed_value'),
  refused('an empty method', { method: '' }, 'method not_allowed_value'),
  ...forbidden([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0177.0.0.1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://①②⑦.⓪.⓪.①/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://x.localhost/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::]/',
  ]),
  ...forbidden([
    'http://10.0.0.1/',
    'http://172.16.5.4/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://192.0.0.1/',
    'http://198.18.0.1/',
    'http://240.0.0.1/',
    'http://192.88.99.1/',
    'http://203.0.113.6/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ]),
  ...forbidden([
    'http://169.254.169.254/',
    'http://0xa9fea9fe/',
    'http://metadata.google.internal/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
  ]),
  ...forbidden([
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[64:ff9b:1::1]/',
    'http://[2002:7f00:1::1]/',
    'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'http://[5f00::1]/',
    'http://[100::1]/',
    'http://[2001:db8::1]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
  ]),
  malformed('https://example.com:22/', 'url_port'),
  malformed('https://example.com:25/', 'url_port'),
  malformed('https://example.com:6379/', 'url_port'),
  malformed('https://example.com:5432/', 'url_port'),
  malformed('https://example.com:65536/', 'invalid_format'),
  malformed('ftp://x', 'invalid_format'),
  malformed('gopher://x', 'invalid_format'),
  malformed('file:///etc/passwd', 'invalid_format'),
  malformed('javascript:alert(1)', 'invalid_format'),
  malformed('http://u:p@x/', 'url_user_info'),
  malformed('http://a@127.0.0.1:80#@b.com/', 'url_user_info'),
  malformed('http://exa\tmple.com/', 'invalid_character'),
  malformed('http://example.com\\@127.0.0.1/', 'invalid_character'),
  malformed(' https://example.com/', 'invalid_character'),
  malformed('http:///x', 'invalid_format'),
  malformed('//example.com/', 'invalid_format'),
  malformed('x.com', 'invalid_format'),
  malformed('', 'invalid_format'),
  malformed(`https://example.com/${'x'.repeat(2_029)}`, 'max_length'),
  refused('no endpoint', { endPoint: undefined }, 'endPoint required'),
  refused('an array as an endpoint', { endPoint: ['https://example.com/'] }, 'endPoint invalid_type'),
  badKey('', 'invalid_format'),
  badKey('a b', 'invalid_format'),
  badKey('x:y', 'invalid_format'),
  badKey('é', 'invalid_format'),
  badKey('X\r\nY', 'invalid_format'),
  badKey('k'.repeat(257), 'max_length'),
  badKey(5, 'invalid_type'),
  badKey(undefined, 'required'),
  ...[
    'Host',
    'content-length',
    'Transfer-Encoding',
    'CONNECTION',
    'Upgrade',
    'Expect',
    'Cookie',
    'webhook-id',
  ].map((key) => badKey(key, 'not_allowed_value')),
  refused(
    'a key twice in another case',
    { headers: ['X-Id', 'x-id'].map((key) => ({ key, value: '{{messageId}}' })) },
    'headers[1].key duplicate_item',
  ),
  refused(
    '51 headers',
    { headers: Array.from({ length: 51 }, (_, i) => ({ key: `x-${i}`, value: '{{status}}' })) },
    'headers too_many_items',
  ),
  refused('an object as headers', { headers: { key: 'X', value: '{{status}}' } }, 'headers invalid_type'),
  refused('a text among headers', { headers: ['X: {{status}}'] }, 'headers[0] invalid_type'),
  badValue('{{foo}}', 'not_allowed_value'),
  badValue('{{ status }}', 'not_allowed_value'),
  badValue('{{status', 'not_allowed_value'),
  badValue('', 'not_allowed_value'),
  badValue('static', 'not_allowed_value'),
  badValue('{{status}}{{status}}', 'not_allowed_value'),
  badValue('{{constructor}}', 'not_allowed_value'),
  badValue(null, 'null_not_allowed'),
  refused(
    'a GET with a field of the report',
    { method: 'GET', endPoint: 'https://example.com/?status=x' },
    'endPoint reserved_parameter',
  ),
  refused(
    'the same, encoded',
    { method: 'GET', endPoint: 'https://example.com/?%73tatus=x' },
    'endPoint reserved_parameter',
  ),
  refused(
    'a GET that leaves no room',
    { method: 'GET', endPoint: `https://example.com/?${'x'.repeat(1_600)}` },
    'endPoint max_length',
  ),
  refused('an unknown field of the report', { fields: ['text'] }, 'fields[0] not_allowed_value'),
  refused(
    'more fields than there are',
    { fields: Array.from({ length: 12 }, () => 'status') },
    'fields too_many_items',
  ),
  refused('none in flight', { maxInFlight: 0 }, 'maxInFlight out_of_range'),
  refused('257 in flight', { maxInFlight: 257 }, 'maxInFlight out_of_range'),
  refused('half a call in flight', { maxInFlight: 1.5 }, 'maxInFlight invalid_type'),
  refused('no call a second', { ratePerSecond: 0 }, 'ratePerSecond out_of_range'),
  refused('10,001 calls a second', { ratePerSecond: 10_001 }, 'ratePerSecond out_of_range'),
  refused('a text as a rate', { ratePerSecond: '5' }, 'ratePerSecond invalid_type'),
  refused('batches of 101', { batch: { max: 101, waitMs: 0 } }, 'batch.max out_of_range'),
  refused('empty batches', { batch: { max: 0, waitMs: 0 } }, 'batch.max out_of_range'),
  refused(
    'batches after more than a second',
    { batch: { max: 9, waitMs: 1_001 } },
    'batch.waitMs out_of_range',
  ),
  refused('batches without a wait', { batch: { max: 9 } }, 'batch.waitMs required'),
  refused('a number as batches', { batch: 100 }, 'batch invalid_type'),
  refused('batches by GET', { method: 'GET', batch: { max: 9, waitMs: 9 } }, 'batch not_allowed_value'),
  refused(
    'batches with a header of one report',
    { headers: [{ key: 'X-Id', value: '{{messageId}}' }], batch: { max: 9, waitMs: 9 } },
    'batch not_allowed_value',
  ),
  refused(
    'a schedule of 25 waits',
    { schedule: Array.from({ length: 25 }, () => 1) },
    'schedule too_many_items',
  ),
  refused('a schedule of more than 8 days', { schedule: [691_200, 1] }, 'schedule out_of_range'),
  refused('a schedule without a wait', { schedule: [5, 0] }, 'schedule[1] out_of_range'),
  refused('half a second in a schedule', { schedule: [0.5] }, 'schedule[0] invalid_type'),
  refused('a number as a schedule', { schedule: 5 }, 'schedule invalid_type'),
  refused('a text for intermediate', { intermediate: 'yes' }, 'intermediate invalid_type'),
  refused('an array as filters', { filters: [] }, 'filters invalid_type'),
  refused('a text as a filter', { filters: { type: 'OTP' } }, 'filters.type invalid_type'),
  refused('an unknown lane', { filters: { type: ['otps'] } }, 'filters.type[0] not_allowed_value'),
  refused(
    'a status of chat-app messages',
    { filters: { status: ['Sent', 'Read'] } },
    'filters.status[1] not_allowed_value',
  ),
  refused('a status twice', { filters: { status: ['Sent', 'Sent'] } }, 'filters.status duplicate_item'),
  refused(
    'a country in small letters',
    { filters: { country: ['IN', 'de'] } },
    'filters.country[1] invalid_format',
  ),
  refused(
    'a code of no country',
    { filters: { country: ['GB', 'UK'] } },
    'filters.country[1] not_allowed_value',
  ),
  refused(
    '51 senders',
    { filters: { sender: Array.from({ length: 51 }, (_, i) => `S${i}`) } },
    'filters.sender too_many_items',
  ),
  refused(
    'a sender of 16 characters',
    { filters: { sender: ['S'.repeat(16)] } },
    'filters.sender[0] max_length',
  ),
  refused('events of an SMS webhook', { events: ['message.sent'] }, 'events not_allowed_value'),
  refused(
    'an unknown event',
    { channel: 'chatapp', events: ['message.lost'] },
    'events[0] not_allowed_value',
  ),
  refused('no events', { channel: 'chatapp', events: [] }, 'events not_allowed_value'),
  refused(
    'what only an SMS webhook has',
    {
      channel: 'chatapp',
      method: 'GET',
      fields: ['messageCredit'],
      intermediate: true,
      filters: { type: ['OTP'] },
    },
    'method not_allowed_value',
    'fields not_allowed_value',
    'intermediate not_allowed_value',
    'filters.type not_allowed_value',
  ),
  ...['0', '201', '-1', '1.5', 'x', ''].map((limit): BadInput => {
    const rule = ['0', '201'].includes(limit) ? 'out_of_range' : 'invalid_type';
    return [
      `a limit of "${limit}"`,
      { method: 'GET', path: `${PATH}?limit=${limit}` },
      400,
      'invalid_request',
      [`limit ${rule}`],
    ];
  }),
  ...['x', '', 'AAAA', 'A'.repeat(38), '%F0%9F%98%80'].map(
    (cursor): BadInput => [
      `the cursor "${cursor}"`,
      { method: 'GET', path: `${PATH}?cursor=${cursor}` },
      400,
      'invalid_request',
      ['cursor invalid_format'],
    ],
  ),
  [
    'two cursors',
    { method: 'GET', path: `${PATH}?cursor=a&cursor=b` },
    400,
    'invalid_request',
    ['cursor invalid_type'],
  ],
  ['a malformed id', { method: 'GET', path: `${PATH}/x` }, 404, 'webhook_not_found'],
  [
    'an id in capitals',
    { method: 'GET', path: `${PATH}/${crypto.randomUUID().toUpperCase()}` },
    404,
    'webhook_not_found',
  ],
  ['an unknown id', { method: 'GET', path: `${PATH}/${crypto.randomUUID()}` }, 404, 'webhook_not_found'],
  [
    'SQL as an id',
    { method: 'GET', path: `${PATH}/${encodeURIComponent("' OR 1=1 --")}` },
    404,
    'webhook_not_found',
  ],
];

test.each(rows)('%s is refused and stores nothing', async (_name, ...row) => {
  await expectRefused(t, ...row);
});

/** Rows that apply to a change, which requires no field and has no channel. */
const changes = rows.filter(([, { path, method, body }, , , broken]) => {
  const absent = broken?.some((each) => each === 'name required' || each === 'endPoint required');
  return path === PATH && method === undefined && !absent && !Object.hasOwn(body as object, 'channel');
});

test.each(changes)('%s is refused as a change too', async (_, { body }, ...failure) => {
  await expectRefused(
    t,
    { method: 'PATCH', path: `${PATH}/${idToChange}`, body: withoutGood(body) },
    ...failure,
  );
});

/** Fields of a row that differ from the good call. */
function withoutGood(body: unknown): object {
  const good: Record<string, unknown> = GOOD;
  return Object.fromEntries(Object.entries(body as object).filter(([name, value]) => good[name] !== value));
}

test('a local name is refused as one, whatever else may be called', async () => {
  const answer = await t.call({ path: PATH, body: { ...GOOD, endPoint: 'http://reports.internal/' } });

  expect(answer.body.message).toBe(
    'endPoint must not be a name that ends in .local or .internal; use another name or the address',
  );
});

test('the address of this API itself is refused', async () => {
  await expectRefused(
    t,
    { path: PATH, body: { ...GOOD, endPoint: `${t.p.apiUrl}/v1/sms` } },
    400,
    'invalid_request',
    ['endPoint endpoint_forbidden'],
  );
});

test('one answer reports every broken rule', async () => {
  const headers = [
    { key: 'a b', value: 'x' },
    { key: 'Host', value: '{{status}}' },
  ];
  const body = { name: '', method: 'PUT', endPoint: 'x', headers, maxInFlight: 'many' };

  await expectRefused(t, { path: PATH, body }, 400, 'invalid_request', [
    'name blank',
    'method not_allowed_value',
    'maxInFlight invalid_type',
    'endPoint invalid_format',
    'headers[0].key invalid_format',
    'headers[0].value not_allowed_value',
    'headers[1].key not_allowed_value',
  ]);
});

test.each([
  ['a public address', { endPoint: 'https://198.41.0.4/' }],
  ['a port from 1024 on', { endPoint: 'https://198.41.0.4:1024/' }],
  ['a public IPv6 address', { endPoint: 'https://[2606:4700::1]/' }],
  [
    'the placeholder of a field for each header',
    {
      headers: [
        { key: 'X', value: '{{errCode}}' },
        { key: 'Y', value: '{{errCode}}' },
      ],
    },
  ],
  ['a parameter of a POST that is named as a field', { endPoint: 'https://198.41.0.4/?status=x' }],
  ['a name in any script', { name: 'отчёты 😀' }],
])('%s is accepted', async (name, fields) => {
  expect((await t.call({ path: PATH, body: { ...GOOD, name, ...fields } })).status).toBe(201);
});

test('a name is unique within an account only', async () => {
  const other = await t.addKey('Other');
  const body = { ...GOOD, name: 'taken' };

  expect((await t.call({ path: PATH, body })).status).toBe(201);
  await expectRefused(t, { path: PATH, body }, 409, 'name_exists');
  expect((await t.call({ path: PATH, body, headers: { apikey: other } })).status).toBe(201);
});
