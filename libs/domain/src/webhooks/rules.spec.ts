import { expect, test } from '@jest/globals';
import type { PushShape } from './delivery-report.ts';
import { PLACEHOLDERS } from './report-fields.ts';
import { checkEndpoint, checkHeaders } from './rules.ts';

const brokenHeaders = (headers: PushShape['headers']) =>
  checkHeaders(headers).map(({ field, rule }) => `${field} ${rule}`);

function brokenEndpoint(endPoint: string, change: Partial<PushShape> = {}): string[] {
  return checkEndpoint({ method: 'POST', endPoint, headers: [], fields: [], ...change }).map(
    ({ field, rule }) => `${field} ${rule}`,
  );
}

test('a webhook has at most fifty headers', () => {
  const headers = Array.from({ length: 50 }, (_, i) => ({
    key: `X-${i}`,
    value: `{{${PLACEHOLDERS[i % PLACEHOLDERS.length]}}}`,
  }));
  expect(brokenHeaders(headers)).toEqual([]);
  expect(brokenHeaders([...headers, { key: 'X-50', value: '{{status}}' }])).toEqual([
    'headers too_many_items',
  ]);
});

test.each([
  ['', 'invalid_format'],
  ['a b', 'invalid_format'],
  ['x:y', 'invalid_format'],
  ['é', 'invalid_format'],
  ['X\r\nY', 'invalid_format'],
  ['X\n', 'invalid_format'],
  ['x'.repeat(257), 'max_length'],
  ['Host', 'not_allowed_value'],
  ['content-LENGTH', 'not_allowed_value'],
  ['Content-Type', 'not_allowed_value'],
  ['Transfer-Encoding', 'not_allowed_value'],
  ['Connection', 'not_allowed_value'],
  ['Keep-Alive', 'not_allowed_value'],
  ['Upgrade', 'not_allowed_value'],
  ['Expect', 'not_allowed_value'],
  ['Cookie', 'not_allowed_value'],
  ['Webhook-Id', 'not_allowed_value'],
  ['webhook-anything', 'not_allowed_value'],
])('the header key %j breaks %s', (key, rule) => {
  expect(brokenHeaders([{ key, value: '{{status}}' }])).toEqual([`headers[0].key ${rule}`]);
});

test('the violation of a header key that is not allowed names the key', () => {
  const [violation] = checkHeaders([{ key: 'Host', value: '{{status}}' }]);
  expect(violation!.message).toBe('must not be Host: Signalbox sets such a header itself, or never sends it');
});

test.each([
  '',
  'status',
  '{{foo}}',
  '{{ status }}',
  '{{status',
  'x{{status}}',
  '{{status}}{{status}}',
  '{{constructor}}',
  '{{Status}}',
])('the header value %j breaks not_allowed_value', (value) => {
  expect(brokenHeaders([{ key: 'X', value }])).toEqual(['headers[0].value not_allowed_value']);
});

test('all broken rules of headers are listed, and keys ignore case', () => {
  const headers = [
    { key: 'X-Status', value: '{{status}}' },
    { key: 'x-status', value: '{{errCode}}' },
    { key: 'Cookie', value: 'a' },
  ];
  expect(brokenHeaders(headers)).toEqual([
    'headers[1].key duplicate_item',
    'headers[2].key not_allowed_value',
    'headers[2].value not_allowed_value',
  ]);
});

test('a violation states what the field must be', () => {
  expect(checkHeaders([{ key: 'x'.repeat(257), value: '{{status}}' }])).toEqual([
    { field: 'headers[0].key', rule: 'max_length', message: 'must be at most 256 characters' },
  ]);
});

test.each([
  'https://example.com/dlr',
  'HTTP://EXAMPLE.COM',
  'http://example.com:80/',
  'https://example.com:8443/a?status=x#frag',
  'http://[2606:4700::1111]:1024/',
  'https://bücher.example/ü',
  'https://example.com/a@b',
  `https://example.com/${'x'.repeat(2028)}`,
])('%s is a valid endpoint', (endPoint) => {
  expect(brokenEndpoint(endPoint)).toEqual([]);
});

test.each([
  ['', 'invalid_format'],
  ['x.com', 'invalid_format'],
  ['//x.com/', 'invalid_format'],
  ['ftp://x', 'invalid_format'],
  ['gopher://x', 'invalid_format'],
  ['file:///etc/passwd', 'invalid_format'],
  ['javascript:alert(1)', 'invalid_format'],
  ['http:///x', 'invalid_format'],
  ['http:x.com', 'invalid_format'],
  ['http:/x.com', 'invalid_format'],
  ['http://', 'invalid_format'],
  ['http://:80/', 'invalid_format'],
  ['http://?x', 'invalid_format'],
  ['http://[::1/', 'invalid_format'],
  ['http://exa%00mple.com/', 'invalid_format'],
  ['http://example.com:99999/', 'invalid_format'],
  ['http://u:p@x/', 'url_user_info'],
  ['http://@x/', 'url_user_info'],
  ['http://a@127.0.0.1:80#@b.com/', 'url_user_info'],
  ['http://exa\tmple.com/', 'invalid_character'],
  ['http://example.com/\r\nX: 1', 'invalid_character'],
  [' http://example.com/', 'invalid_character'],
  ['http://example.com/\n', 'invalid_character'],
  ['http://example.com/a b', 'invalid_character'],
  ['http://example.com/\u00a0', 'invalid_character'],
  ['http://example.com/\u3000', 'invalid_character'],
  ['http://example.com/\u0000', 'invalid_character'],
  ['http://example.com/\ud800', 'invalid_character'],
  ['http:\\\\example.com\\', 'invalid_character'],
  ['http://example.com:22/', 'url_port'],
  ['http://example.com:25/', 'url_port'],
  ['http://example.com:0/', 'url_port'],
  ['http://example.com:1023/', 'url_port'],
  ['http://example.com:5432/', 'url_port'],
  ['http://example.com:06379/', 'url_port'],
  [`https://example.com/${'x'.repeat(2029)}`, 'max_length'],
])('the endpoint %j breaks %s', (endPoint, rule) => {
  expect(brokenEndpoint(endPoint)).toEqual([`endPoint ${rule}`]);
});

test('the query of a GET must not have a field of its reports, encoded or not', () => {
  expect(brokenEndpoint('http://x.com/?status=x', { method: 'GET' })).toEqual([
    'endPoint reserved_parameter',
  ]);
  expect(brokenEndpoint('http://x.com/?a=1&st%61tus', { method: 'GET' })).toEqual([
    'endPoint reserved_parameter',
  ]);
  expect(brokenEndpoint('http://x.com/?Status=x&messageCredit=1', { method: 'GET' })).toEqual([]);
  expect(
    brokenEndpoint('http://x.com/?messageCredit=1', { method: 'GET', fields: ['messageCredit'] }),
  ).toEqual(['endPoint reserved_parameter']);
});

test('the endpoint of a GET leaves room for the report', () => {
  const endPoint = `https://example.com/${'x'.repeat(1516)}`;
  expect(brokenEndpoint(`${endPoint}#frag`, { method: 'GET' })).toEqual([]);
  expect(brokenEndpoint(`${endPoint}y`, { method: 'GET' })).toEqual(['endPoint max_length']);
  expect(brokenEndpoint(`https://example.com/${'é'.repeat(300)}`, { method: 'GET' })).toEqual([
    'endPoint max_length',
  ]);
});

test('the length of an endpoint counts characters, not UTF-16 units', () => {
  expect(brokenEndpoint(`https://example.com/${'😀'.repeat(2028)}`)).toEqual([]);
  expect(brokenEndpoint(`https://example.com/${'😀'.repeat(2029)}`)).toEqual(['endPoint max_length']);
});
