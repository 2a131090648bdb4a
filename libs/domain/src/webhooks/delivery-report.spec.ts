import { execFileSync } from 'node:child_process';
import { validateHeaderValue } from 'node:http';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type DeliveryReport, type PushShape, renderPush, reportFields } from './delivery-report.ts';
import { PLACEHOLDERS } from './report-fields.ts';

const REPORT: DeliveryReport = {
  messageId: '0192e4a0-0000-7000-8000-000000000001:1',
  mobileNumber: '919800000001',
  messageCredit: 2,
  gatewayName: 'simulator',
  senderName: 'ACME',
  errCode: '000',
  status: 'Delivered',
  createdAt: new Date('2026-11-20T23:10:00.123Z'),
  deliveredAt: new Date('2026-11-20T23:10:05.999Z'),
  operatorCircle: 'Airtel Delhi',
  statusDescription: 'Message delivered',
};

const EIGHT = [
  'messageId',
  'mobileNumber',
  'senderName',
  'errCode',
  'status',
  'createdAt',
  'deliveredDate',
  'statusDescription',
];

const target = (change: Partial<PushShape> = {}): PushShape => ({
  method: 'POST',
  endPoint: 'https://example.com/dlr',
  headers: [],
  fields: [],
  ...change,
});

const described = (statusDescription: string | null): DeliveryReport => ({ ...REPORT, statusDescription });

function headerOf(report: DeliveryReport, placeholder: string): string | undefined {
  return renderPush(target({ headers: [{ key: 'X-Value', value: `{{${placeholder}}}` }] }), report).headers[
    'X-Value'
  ];
}

test('every placeholder has its text', () => {
  expect(Object.keys(reportFields(REPORT))).toEqual([...PLACEHOLDERS]);
  expect(reportFields(REPORT)).toEqual({
    messageId: '0192e4a0-0000-7000-8000-000000000001:1',
    mobileNumber: '919800000001',
    messageCredit: '2',
    gatewayName: 'simulator',
    senderName: 'ACME',
    errCode: '000',
    status: 'Delivered',
    createdAt: '1795216200123',
    deliveredDate: 'Fri Nov 20 2026 23:10:05 GMT+0000 (Coordinated Universal Time)',
    operatorCircle: 'Airtel Delhi',
    statusDescription: 'Message delivered',
  });
});

test('the delivery date has the format of Date.toString in UTC', () => {
  const inUtc = (at: Date) => {
    const [day, date, month, year, time] = at.toUTCString().replace(',', '').split(' ');
    return `${day} ${month} ${date} ${Number(year)} ${time} GMT+0000 (Coordinated Universal Time)`;
  };
  const instant = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(instant, (deliveredAt) => {
      expect(reportFields({ ...REPORT, deliveredAt }).deliveredDate).toBe(inUtc(deliveredAt));
    }),
  );
});

test('the delivery date is in UTC in a process of any time zone', () => {
  const script = `
    const { reportFields } = await import(process.argv[1]);
    const report = { createdAt: new Date(0), deliveredAt: new Date(${REPORT.deliveredAt!.getTime()}) };
    process.stdout.write(reportFields(report).deliveredDate);`;
  const file = new URL('./delivery-report.ts', import.meta.url).href;
  const written = execFileSync(
    process.execPath,
    ['--experimental-transform-types', '--no-warnings', '--input-type=module', '-e', script, file],
    {
      env: { TZ: 'Asia/Kolkata' },
      encoding: 'utf8',
    },
  );
  expect(written).toBe('Fri Nov 20 2026 23:10:05 GMT+0000 (Coordinated Universal Time)');
});

test('an unknown value is an empty text', () => {
  const fields = reportFields({
    ...REPORT,
    deliveredAt: null,
    operatorCircle: null,
    gatewayName: null,
    statusDescription: null,
  });
  expect(fields).toMatchObject({
    deliveredDate: '',
    operatorCircle: '',
    gatewayName: '',
    statusDescription: '',
  });
});

test('the body of a POST has the eight fields as strings, in wire order', () => {
  const push = renderPush(target(), REPORT);
  const { messageCredit, gatewayName, operatorCircle, ...eight } = reportFields(REPORT);
  expect(push.url).toBe('https://example.com/dlr');
  expect(push.headers['content-type']).toBe('application/json');
  expect(JSON.parse(push.body!)).toEqual(eight);
  expect(Object.keys(JSON.parse(push.body!))).toEqual(EIGHT);
});

test('a field named by a header or by the list of fields is added', () => {
  const push = renderPush(
    target({
      headers: [{ key: 'Credits', value: '{{messageCredit}}' }],
      fields: ['operatorCircle', 'status'],
    }),
    REPORT,
  );
  expect(Object.keys(JSON.parse(push.body!))).toEqual([...EIGHT, 'messageCredit', 'operatorCircle']);
  expect(push.headers).toMatchObject({ Credits: '2' });
});

test('a push names Signalbox as its user agent, unless a header of the webhook replaces it', () => {
  expect(renderPush(target(), REPORT).headers).toMatchObject({ 'user-agent': 'Signalbox' });
  const id = { key: 'Message-Id', value: '{{messageId}}' };
  const named = renderPush(target({ headers: [id] }), REPORT);
  expect(Object.keys(named.headers)).toEqual(['user-agent', 'Message-Id', 'content-type']);
  const replaced = renderPush(
    target({ headers: [id, { key: 'User-Agent', value: '{{senderName}}' }] }),
    REPORT,
  );
  expect(Object.keys(replaced.headers)).toEqual(['Message-Id', 'User-Agent', 'content-type']);
});

test('a GET appends the fields to the query of its endpoint and drops the fragment', () => {
  const push = renderPush(
    target({ method: 'GET', endPoint: 'https://example.com/dlr?tenant=a#top', fields: ['gatewayName'] }),
    REPORT,
  );
  const url = new URL(push.url);
  expect(push.body).toBeUndefined();
  expect(push.headers['content-type']).toBeUndefined();
  expect(url.hash).toBe('');
  expect(push.url.startsWith('https://example.com/dlr?tenant=a&messageId=')).toBe(true);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    tenant: 'a',
    ...Object.fromEntries(
      Object.entries(reportFields(REPORT)).filter(([name]) => EIGHT.includes(name) || name === 'gatewayName'),
    ),
  });
});

test.each([
  'https://example.com',
  'https://example.com/?',
  'https://example.com/a?x=1',
  'https://exämple.com/ä?q=é',
])('a GET to %s keeps any value, and a URL parser does not change its URL', (endPoint) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
      const { url } = renderPush(target({ method: 'GET', endPoint }), described(text));
      expect(new URL(url).href).toBe(url);
      expect(new URL(url).searchParams.get('statusDescription')).toBe(text.toWellFormed());
    }),
    { examples: [["it's & that's = #1 + 1?"]] },
  );
});

test('the description of a GET is truncated to 2,048 bytes at a whole character', () => {
  const { url } = renderPush(target({ method: 'GET' }), described('日本😀'.repeat(1000)));
  expect(url.length).toBeLessThanOrEqual(2048);
  expect(url.length).toBeGreaterThan(2048 - 12);
  const params = new URL(url).searchParams;
  expect('日本😀'.repeat(1000).startsWith(params.get('statusDescription')!)).toBe(true);
  expect(params.get('messageId')).toBe(REPORT.messageId);
});

test.each([
  ['ok\r\nX-Evil: 1', 'okX-Evil: 1'],
  ['a\u0000b', 'ab'],
  ['日本', '%E6%97%A5%E6%9C%AC'],
  ['😀', '%F0%9F%98%80'],
  ['\ud83d', '%EF%BF%BD'],
  ['café', 'café'],
  ['tab\tand delete\x7f', 'tab%09and delete%7F'],
  ['100%', '100%'],
])('the header value %j is sent as %j', (text, expected) => {
  expect(headerOf(described(text), 'statusDescription')).toBe(expected);
});

test('a value that holds a placeholder is not rendered again', () => {
  expect(headerOf(described('{{messageId}}'), 'statusDescription')).toBe('{{messageId}}');
});

test('an absent value and an unknown placeholder are sent as empty headers', () => {
  expect(headerOf(described(null), 'statusDescription')).toBe('');
  expect(headerOf(REPORT, 'constructor')).toBe('');
});

test('any text makes a header that Node accepts, of at most 1,024 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 0, maxLength: 2000 }), (text) => {
      const value = headerOf(described(text), 'statusDescription')!;
      validateHeaderValue('X-Value', value);
      expect(value).toMatch(/^[\x20-\x7e\xa0-\xff]*$/);
      expect(Buffer.byteLength(value, 'latin1')).toBeLessThanOrEqual(1024);
    }),
  );
  expect(headerOf(described('x'.repeat(100_000)), 'statusDescription')).toBe('x'.repeat(1024));
});

test('a header may be named __proto__', () => {
  const { headers } = renderPush(target({ headers: [{ key: '__proto__', value: '{{status}}' }] }), REPORT);
  expect(Object.entries(headers)).toContainEqual(['__proto__', 'Delivered']);
});
