import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { hashApiKey, newApiKey } from '@signalbox/domain/api-key';
import {
  type BadInput,
  GOOD_SMS,
  expectFailure,
  expectRefused,
  sameForAll,
  startSharedApi,
} from './api-under-test.ts';

const t = await startSharedApi();

const MESSAGE = '/v1/messages/019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11:1';
const webhook = { name: 'reports', endPoint: 'https://example.com/' };

const rows: BadInput[] = [
  ['no key', { headers: { apikey: null } }, 401, 'api_key_missing'],
  ['an empty key', { headers: { apikey: '' } }, 401, 'api_key_missing'],
  ['a blank key', { headers: { apikey: ' ' } }, 401, 'api_key_missing'],
  [
    'no key for a list',
    { method: 'GET', path: '/v1/webhooks', headers: { apikey: null } },
    401,
    'api_key_missing',
  ],
  [
    'no key for a message',
    { method: 'GET', path: MESSAGE, headers: { apikey: null } },
    401,
    'api_key_missing',
  ],
  [
    'a made-up key as a bearer token',
    { headers: { apikey: null, authorization: 'Bearer x' } },
    401,
    'api_key_invalid',
  ],
  ['an unknown key', { headers: { apikey: newApiKey('live') } }, 401, 'api_key_invalid'],
  ['a malformed key', { headers: { apikey: 'letmein' } }, 401, 'api_key_invalid'],
  ['SQL as a key', { headers: { apikey: "' OR 1=1 --" } }, 401, 'api_key_invalid'],
  ['two keys', { headers: { apikey: `${newApiKey('live')}, ${newApiKey('live')}` } }, 401, 'api_key_invalid'],
  ['a key of 10,000 characters', { headers: { apikey: 'k'.repeat(10_000) } }, 401, 'api_key_invalid'],
  ['a header of 20 KB', { headers: { apikey: 'k'.repeat(20_000) } }, 431, 'headers_too_large'],
  [
    'a key in the URL',
    { path: `/v1/sms?apikey=${newApiKey('live')}`, headers: { apikey: null } },
    401,
    'api_key_missing',
  ],
  ['TRACE', { method: 'TRACE' }, 405, 'method_not_allowed'],
  ['PUT', { method: 'PUT', body: GOOD_SMS }, 405, 'method_not_allowed'],
  ['DELETE of a message', { method: 'DELETE', path: MESSAGE }, 405, 'method_not_allowed'],
  ['GET of the send path', { method: 'GET' }, 405, 'method_not_allowed'],
  ['POST to a message', { path: MESSAGE, body: {} }, 405, 'method_not_allowed'],
  ['a trailing slash', { path: '/v1/sms/', body: GOOD_SMS }, 404, 'route_not_found'],
  ['two slashes', { path: '/v1//sms', body: GOOD_SMS }, 404, 'route_not_found'],
  ['another version', { path: '/v2/sms', body: GOOD_SMS }, 404, 'route_not_found'],
  ['a way out', { method: 'GET', path: '/v1/%2e%2e/metrics' }, 404, 'route_not_found'],
  ['no body', {}, 400, 'malformed_json'],
  ['half a body', { body: '{' }, 400, 'malformed_json'],
  ['a trailing comma', { body: '{"a":1,}' }, 400, 'malformed_json'],
  ['null', { body: 'null' }, 400, 'invalid_request', ['body invalid_type']],
  ['an array', { path: '/v1/webhooks', body: [webhook] }, 400, 'invalid_request', ['body invalid_type']],
  ['a body over the limit', { body: { ...GOOD_SMS, text: 'x'.repeat(1_100_000) } }, 413, 'payload_too_large'],
  [
    '__proto__',
    { body: '{"__proto__":{"isAdmin":true}}' },
    400,
    'invalid_request',
    ['__proto__ forbidden_field'],
  ],
  [
    'constructor',
    { body: { ...GOOD_SMS, constructor: { prototype: {} } } },
    400,
    'invalid_request',
    ['constructor forbidden_field', 'constructor.prototype forbidden_field'],
  ],
  [
    'a compressed body',
    { body: randomBytes(100), headers: { 'content-encoding': 'gzip' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a form',
    { body: 'to=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'unsupported_media_type',
  ],
  ['invalid UTF-8', { body: Buffer.from([0x22, 0xc3, 0x28, 0x22]) }, 400, 'malformed_json'],
  [
    'a lone surrogate',
    { body: String.raw`{"sender":"A","text":"\ud800"}` },
    400,
    'invalid_request',
    ['text invalid_character'],
  ],
  [
    'U+0000 in a field nobody knows',
    { body: { ...GOOD_SMS, note: ['a', '\0'] } },
    400,
    'invalid_request',
    ['note[1] invalid_character'],
  ],
  [
    'a lone surrogate in a number',
    { body: '{"to":["1","\\udfff"]}' },
    400,
    'invalid_request',
    ['to[1] invalid_character'],
  ],
  [
    '10,000 members',
    {
      body: {
        ...GOOD_SMS,
        extra: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i])),
      },
    },
    400,
    'invalid_request',
    ['body too_many_keys'],
  ],
  [
    'a word that cannot become text, next to ids that depend on it',
    { path: '/v1/parked/free', body: { kind: { toString: 'message' }, ids: ['x'] } },
    400,
    'invalid_request',
    ['kind not_allowed_value'],
  ],
  [
    'an id that cannot become text',
    {
      method: 'PATCH',
      path: '/v1/orphan-reports/019e6f0c-5a53-7d0c-8a4e-6f1f0a6d2b11',
      body: { messageId: { toString: 1 } },
    },
    400,
    'invalid_request',
    ['messageId invalid_type'],
  ],
  [
    'an empty idempotency key',
    { body: GOOD_SMS, headers: { 'idempotency-key': '' } },
    400,
    'idempotency_key_invalid',
  ],
  [
    '256 characters',
    { body: GOOD_SMS, headers: { 'idempotency-key': 'k'.repeat(256) } },
    400,
    'idempotency_key_invalid',
  ],
  [
    'a key in Latin-1',
    { body: GOOD_SMS, headers: { 'idempotency-key': 'é' } },
    400,
    'idempotency_key_invalid',
  ],
  [
    'a key with a tab',
    { body: webhook, path: '/v1/webhooks', headers: { 'idempotency-key': 'a\tb' } },
    400,
    'idempotency_key_invalid',
  ],
  [
    'a host with an impossible port',
    { body: GOOD_SMS, headers: { host: 'evil:99999' } },
    400,
    'invalid_request',
  ],
  ['a malformed message id', { method: 'GET', path: '/v1/messages/x' }, 404, 'message_not_found'],
  [
    'a message id without its number',
    { method: 'GET', path: MESSAGE.slice(0, -2) },
    404,
    'message_not_found',
  ],
  ['message number 0', { method: 'GET', path: MESSAGE.replace(/1$/, '0') }, 404, 'message_not_found'],
  ['message number 99999', { method: 'GET', path: MESSAGE.replace(/1$/, '99999') }, 404, 'message_not_found'],
  ['message number 10^12', { method: 'GET', path: `${MESSAGE}000000000000` }, 404, 'message_not_found'],
  [
    'a message id in capitals',
    { method: 'GET', path: MESSAGE.toUpperCase().replace('/V1/MESSAGES', '/v1/messages') },
    404,
    'message_not_found',
  ],
  [
    'a message id of 8 KB',
    { method: 'GET', path: `/v1/messages/${'a'.repeat(8_000)}` },
    404,
    'message_not_found',
  ],
  [
    'U+0000 in a message id',
    { method: 'GET', path: '/v1/messages/a%00' },
    400,
    'invalid_request',
    ['messageId invalid_character'],
  ],
  [
    'a message id that cannot be decoded',
    { method: 'GET', path: '/v1/messages/%ff' },
    400,
    'invalid_request',
  ],
];

test.each(rows)(
  '%s is refused, leaves nothing behind, and the next request is served',
  async (_name, ...row) => {
    await expectRefused(t, ...row);
  },
);

test('unknown, revoked, expired and mistyped keys get the same bytes', async () => {
  const [revoked, expired] = [await t.addKey('Other'), await t.addKey('Other')];
  await t.db.query(`UPDATE api_key SET revoked_at = now() WHERE hash = $1`, [hashApiKey(revoked)]);
  await t.db.query(`UPDATE api_key SET expires_at = now() WHERE hash = $1`, [hashApiKey(expired)]);

  const keys = [
    newApiKey('test'),
    revoked,
    expired,
    `${t.p.apiKey}x`,
    t.p.apiKey.slice(0, -1),
    t.p.apiKey.toUpperCase(),
  ];
  const answers = await Promise.all(keys.map((apikey) => t.call({ body: GOOD_SMS, headers: { apikey } })));

  for (const answer of answers) expectFailure(answer, 401, 'api_key_invalid');
  expect(new Set(answers.map(sameForAll)).size).toBe(1);
});

test('a 405 names the methods of the real routes', async () => {
  const allowed = async (path: string): Promise<unknown> =>
    (await t.call({ method: 'PATCH', path })).headers['allow'];

  expect([await allowed('/v1/sms'), await allowed('/v1/webhooks'), await allowed(MESSAGE)]).toEqual([
    'POST',
    'GET, HEAD, POST',
    'GET, HEAD',
  ]);
});

test('a refused __proto__ touches no prototype', async () => {
  await t.call({ body: '{"__proto__":{"isAdmin":true},"a":{"__proto__":{"isAdmin":true}}}' });

  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test('a body that breaks every rule returns all violations, at most 100', async () => {
  const all = await t.call({
    body: {
      sender: 1,
      to: ['x', null, {}],
      text: ' ',
      type: 'FLASH',
      unicode: '1',
      flash: 2,
      campaignName: 7,
    },
  });
  const many = await t.call({ body: { ...GOOD_SMS, to: Array.from({ length: 10_000 }, () => 'x') } });

  expectFailure(all, 400, 'invalid_request', [
    'sender invalid_type',
    'text blank',
    'type not_allowed_value',
    'unicode not_allowed_value',
    'flash not_allowed_value',
    'campaignName invalid_type',
    'to[0] invalid_format',
    'to[1] null_not_allowed',
    'to[2] invalid_type',
  ]);
  expect(many.body.error.details).toHaveLength(100);
});

test('unknown fields are ignored, stored nowhere and named', async () => {
  const answer = await t.call({ body: { ...GOOD_SMS, txet: 'forgotten', meta: { tags: ['kept-nowhere'] } } });

  expect([answer.status, answer.headers['ignored-fields']]).toEqual([200, 'txet, meta']);
  const [row] = await t.db.query(`SELECT submission::text AS stored FROM submission WHERE id = $1`, [
    answer.body.id,
  ]);
  expect((row as { stored: string }).stored).not.toMatch(/forgotten|kept-nowhere/);
});
