import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type EdgeUnderTest,
  type SendOptions,
  expectEnvelope,
  post,
  request,
  startEdge,
} from '../../test/edge-under-test.ts';

let t: EdgeUnderTest;

beforeAll(async () => {
  t = await startEdge();
});

afterAll(async () => t[Symbol.asyncDispose]());

const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const wide = (keys: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 1])));
const chunk = `400\r\n${'x'.repeat(1_024)}\r\n`;

const rows: [name: string, bytes: Buffer, status: number, code: string, options?: SendOptions][] = [
  ['TRACE', request('TRACE /v1/greetings'), 405, 'method_not_allowed'],
  ['PUT', request('PUT /v1/greetings', { 'content-length': '2' }, '{}'), 405, 'method_not_allowed'],
  ['DELETE', request('DELETE /v1/greetings/1'), 405, 'method_not_allowed'],
  ['PROPFIND', request('PROPFIND /v1/greetings'), 405, 'method_not_allowed'],
  ['OPTIONS', request('OPTIONS /v1/greetings'), 405, 'method_not_allowed'],
  ['an unknown method', request('FOO /v1/greetings'), 400, 'invalid_request'],
  ['CONNECT', request('CONNECT api.test:443'), 400, 'invalid_request'],
  ['a trailing slash', request('POST /v1/greetings/', { 'content-length': '0' }), 404, 'route_not_found'],
  ['a trailing slash where an id belongs', request('GET /v1/greetings/'), 404, 'route_not_found'],
  ['two slashes', request('GET /v1//greetings'), 404, 'route_not_found'],
  ['another version', request('GET /v2/greetings'), 404, 'route_not_found'],
  ['an encoded ..', request('GET /v1/%2e%2e/admin'), 404, 'route_not_found'],
  ['another case', request('GET /V1/greetings'), 404, 'route_not_found'],
  [
    'an unknown path with a bad body',
    request('POST /v3', { 'content-type': 'application/json', 'content-length': '1' }, '{'),
    404,
    'route_not_found',
  ],
  ['a URL that cannot be decoded', request('GET /%zz'), 400, 'invalid_request'],
  ['no protocol', Buffer.from('hello\r\n\r\n'), 400, 'invalid_request'],
  ['no Host', request('GET /v1/greetings', { host: null }), 400, 'invalid_request'],
  ['an empty Host', request('GET /v1/greetings', { host: '' }), 400, 'invalid_request'],
  ['two Hosts', request('GET /v1/greetings', { Host: 'other.test' }), 400, 'invalid_request'],
  [
    'a Host with an impossible port',
    request('GET /v1/greetings', { host: 'evil:99999' }),
    400,
    'invalid_request',
  ],
  ['a Host with a path', request('GET /v1/greetings', { host: 'evil/x' }), 400, 'invalid_request'],
  [
    '20 KB of headers',
    request('GET /v1/greetings', { apikey: 'k'.repeat(20_000) }),
    431,
    'headers_too_large',
  ],
  [
    'headers that never end',
    Buffer.from('GET /v1/greetings HTTP/1.1\r\nhost: a'),
    408,
    'request_timeout',
    { drip: 'a' },
  ],
  [
    'a body of one byte at a time',
    post('{', { 'content-length': '4000' }),
    408,
    'request_timeout',
    { drip: ' ' },
  ],
  [
    'a body that ends too early',
    post('{"text":', { 'content-length': '20' }),
    400,
    'invalid_request',
    { half: true },
  ],
  [
    'a body longer than its Content-Length',
    post('{"text":"hi"}', { 'content-length': '5' }),
    400,
    'malformed_json',
  ],
  ['a Content-Length that is no number', post('{}', { 'content-length': '-1' }), 400, 'invalid_request'],
  ['two lengths', post('{}', { 'transfer-encoding': 'chunked' }), 400, 'invalid_request'],
  [
    'a bad chunk',
    post('zz\r\n', { 'content-length': null, 'transfer-encoding': 'chunked' }),
    400,
    'invalid_request',
  ],
  [
    'an endless body',
    post(chunk, { 'content-length': null, 'transfer-encoding': 'chunked' }),
    413,
    'payload_too_large',
    { drip: chunk },
  ],
  ['a body over the limit', post(`{"text":"${'x'.repeat(20_000)}"}`), 413, 'payload_too_large'],
  ['no body', post(''), 400, 'malformed_json'],
  ['no body and no type', request('POST /v1/greetings', { 'content-length': '0' }), 400, 'malformed_json'],
  ['a brace', post('{'), 400, 'malformed_json'],
  ['a trailing comma', post('{"a":1,}'), 400, 'malformed_json'],
  ['NaN', post('NaN'), 400, 'malformed_json'],
  ['single quotes', post("{'text':'hi'}"), 400, 'malformed_json'],
  ['null', post('null'), 400, 'invalid_request'],
  ['an array', post('[]'), 400, 'invalid_request'],
  ['a string', post('"str"'), 400, 'invalid_request'],
  ['a number', post('1'), 400, 'invalid_request'],
  ['true', post('true'), 400, 'invalid_request'],
  ['__proto__', post('{"text":"hi","__proto__":{"isAdmin":true}}'), 400, 'invalid_request'],
  ['an escaped __proto__', post('{"text":"hi","a":[{"__pr\\u006fto__":1}]}'), 400, 'invalid_request'],
  ['constructor', post('{"text":"hi","constructor":{"prototype":{}}}'), 400, 'invalid_request'],
  ['a lone surrogate', post('{"text":"\\ud800"}'), 400, 'invalid_request'],
  ['U+0000', post('{"text":"a\\u0000"}'), 400, 'invalid_request'],
  ['U+0000 in a name', post('{"text":"hi","a\\u0000":1}'), 400, 'invalid_request'],
  ['a number beyond a double', post('{"text":"hi","a":1e999}'), 400, 'invalid_request'],
  ['33 levels', post(deep(33)), 400, 'invalid_request'],
  ['1,001 members', post(wide(1_001)), 400, 'invalid_request'],
  ['invalid UTF-8', post(Buffer.from([0x22, 0xc3, 0x28, 0x22])), 400, 'malformed_json'],
  ['gzip', post('{}', { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type'],
  [
    'another charset',
    post('{}', { 'content-type': 'application/json; charset=latin1' }),
    415,
    'unsupported_media_type',
  ],
  [
    'XML',
    post('<a/>', { 'content-type': 'application/xml', contentType: 'application/json' }),
    415,
    'unsupported_media_type',
  ],
  [
    'a form',
    post('text=hi', { 'content-type': 'application/x-www-form-urlencoded' }),
    415,
    'unsupported_media_type',
  ],
  ['no type', post('{"text":"hi"}', { 'content-type': null }), 415, 'unsupported_media_type'],
  ['a malformed type', post('{"text":"hi"}', { 'content-type': 'json' }), 415, 'unsupported_media_type'],
  ['a parameter given twice', request('GET /v1/greetings/1?as=a&as=b'), 400, 'invalid_request'],
  ['a query value that is no number', request('GET /v1/greetings?limit=x'), 400, 'invalid_request'],
  ['a query value given twice', request('GET /v1/greetings?limit=1&limit=2'), 400, 'invalid_request'],
  ['U+0000 in a query', request('GET /v1/greetings?limit=%00'), 400, 'invalid_request'],
  ['U+0000 in a path', request('GET /v1/greetings/%00'), 400, 'invalid_request'],
  ['__proto__ in a query', request('GET /v1/greetings?__proto__=1'), 400, 'invalid_request'],
];

test.each(rows)(
  '%s is answered in the envelope, and the next request is served',
  async (_name, bytes, status, code, ...[options]) => {
    expectEnvelope(await t.send(bytes, options), status, code);
    expect((await t.send(post('{"text":"hi"}'))).body).toEqual({ seen: { text: 'hi' }, error: null });
  },
);
