import { get } from 'node:http';
import { beforeAll, expect, test } from '@jest/globals';
import { type Answer, GOOD_SMS, expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';

interface Listed {
  messageId: string;
  recipient: string;
  status: string;
}

const PATH = '/v1/messages';

let bulkId: string;

const t = await startSharedApi();

beforeAll(async () => {
  await t.call({ body: { ...GOOD_SMS, to: '919800000300', campaignName: 'Spring', clientRef: 'order 7' } });
  const to = ['919800000301', '919800000302', '919800000301'];
  bulkId = (
    await t.call({ body: { ...GOOD_SMS, to, campaignName: '=HYPERLINK("http://x")', clientRef: 'a "b", c' } })
  ).body.id;
});

const list = (query = '', apikey = t.p.apiKey): Promise<Answer<Listed[]>> =>
  t.call({ method: 'GET', path: PATH + query, headers: { apikey } });
const search = (body: object): Promise<Answer<Listed[]>> => t.call({ path: PATH, body });

test('pending messages are listed newest first, page by page', async () => {
  const first = await list('?limit=2');
  const second = await list(`?limit=2&cursor=${first.body.nextCursor}`);

  expect(first.body).toMatchObject({ message: '2 messages.', error: null, nextCursor: expect.any(String) });
  expect(first.body.data).toMatchObject([
    { messageId: `${bulkId}:3` },
    { messageId: `${bulkId}:2`, recipient: '919800000302', status: 'Pending' },
  ]);
  expect(second.body.data).toMatchObject([
    { messageId: `${bulkId}:1` },
    { recipient: '919800000300', campaignName: 'Spring', country: 'IN', operatorCircle: 'UNKNOWN' },
  ]);
  expect(second.body.nextCursor).toBeNull();
});

test('a body filters as a query does', async () => {
  for (const [query, body, count] of [
    ['?recipient=%2B919800000301', { recipient: '+919800000301' }, 2],
    ['?status=pending', { status: 'PENDING' }, 4],
    ['?status=Failed', { status: 'Failed' }, 0],
    ['?status=Pending&status=Failed', { status: ['Pending', 'FAILED'] }, 4],
    ['?status=sent,failed', { status: 'sent,failed' }, 0],
    ['?errCode=003', { errCode: '003' }, 0],
    ['?gateway=simulator', { gateway: 'simulator' }, 0],
    ['?channel=sms', { channel: 'sms' }, 4],
    ['?channel=chatapp', { channel: 'chatapp' }, 0],
    [`?submissionId=${bulkId}`, { submissionId: bulkId }, 3],
    ['?campaignName=Spring', { campaignName: 'Spring' }, 1],
    ['?clientRef=order+7', { clientRef: 'order 7' }, 1],
    ['?sender=NOBODY', { sender: 'NOBODY' }, 0],
    ['?from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z', { from: '2020-01-01T00:00:00Z' }, 4],
    ['?to=2020-01-01T00:00:00Z', { to: '2020-01-01T00:00:00+05:30' }, 0],
  ] as const) {
    const answers = [await list(query), await search(body)];
    expect(answers.map((answer) => [query, answer.status, answer.body.data.length])).toEqual([
      [query, 200, count],
      [query, 200, count],
    ]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
  }
});

test('Accept: text/csv returns all matching messages, quoted and free of formulas', async () => {
  const response = await fetch(`${t.p.apiUrl}${PATH}?limit=1&submissionId=${bulkId}`, {
    headers: { apikey: t.p.apiKey, accept: 'text/csv' },
  });
  const text = await response.text();
  const lines = text.split('\r\n');

  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="messages.csv"',
    'cache-control': 'no-store',
  });
  expect(lines[0]).toBe(
    'messageId,recipient,sender,channel,type,status,errCode,statusDescription,credits,gateway,operatorCircle,country,campaignName,clientRef,createdAt,clicks,templateName,sentAt,deliveredAt',
  );
  expect(lines).toHaveLength(5);
  expect(lines[1]).toMatch(
    new RegExp(
      `^${bulkId}:3,919800000301,SIGNALBX,sms,TRANS,Pending,,,1,,UNKNOWN,IN,"'=HYPERLINK\\(""http://x""\\)","a ""b"", c",20\\d\\d-`,
    ),
  );
});

test('an export of several pages is complete, and one that is abandoned does no harm', async () => {
  const to = Array.from({ length: 2_500 }, (_, i) => String(919811100000 + i));
  const { id } = (await t.call({ body: { ...GOOD_SMS, to } })).body;
  const url = `${t.p.apiUrl}${PATH}?submissionId=${id}`;
  const headers = { apikey: t.p.apiKey, accept: 'text/csv' };

  const lines = (await (await fetch(url, { headers })).text()).trimEnd().split('\r\n');

  expect(lines.slice(1).map((line) => line.split(',')[1])).toEqual(to.toReversed());
  await new Promise<void>((left) => get(url, { headers }, (response) => left(void response.destroy())));
  expect((await list('?limit=1')).status).toBe(200);
});

test('another account sees none of the messages, and its cursors are refused', async () => {
  const stranger = await t.addKey('Stranger');
  const { nextCursor } = (await list('?limit=1')).body;

  expect((await list('', stranger)).body).toMatchObject({ data: [], nextCursor: null });
  const foreign = await list(`?submissionId=${bulkId}`, stranger);
  const absent = await list('?submissionId=01900000-0000-7000-8000-00000000000f', stranger);
  expect(sameForAll(foreign)).toBe(sameForAll(absent));
  expectFailure(await list(`?cursor=${nextCursor}`, stranger), 400, 'invalid_request', [
    'cursor invalid_format',
  ]);
});

test.each([
  ['a made-up cursor', '?cursor=x', ['cursor invalid_format']],
  ['an empty cursor', '?cursor=', ['cursor invalid_format']],
  ['two cursors', '?cursor=x&cursor=y', ['cursor invalid_type']],
  ['limit 0', '?limit=0', ['limit out_of_range']],
  ['limit 201', '?limit=201', ['limit out_of_range']],
  ['limit 1.5', '?limit=1.5', ['limit invalid_type']],
  ['limit -1', '?limit=-1', ['limit invalid_type']],
  ['limit as a word', '?limit=all', ['limit invalid_type']],
  ['SQL as a status', '?status=name;drop%20table', ['status not_allowed_value']],
  ['an unknown status among others', '?status=Sent,Lost', ['status not_allowed_value']],
  ['an errCode of 17 characters', `?errCode=${'0'.repeat(17)}`, ['errCode max_length']],
  ['a channel that there is not', '?channel=fax', ['channel not_allowed_value']],
  ['a recipient with letters', '?recipient=abc', ['recipient invalid_format']],
  ['a malformed submission id', '?submissionId=1', ['submissionId invalid_format']],
  ['a campaign of 257 characters', `?campaignName=${'x'.repeat(257)}`, ['campaignName max_length']],
  ['U+0000', '?sender=%00', ['sender invalid_character']],
  ['a time without a zone', '?from=2026-01-01T00:00:00', ['from invalid_format']],
  ['the 30th of February', '?to=2026-02-30T00:00:00Z', ['to invalid_format']],
  ['an empty range', '?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', ['to out_of_range']],
  [
    'several at once',
    '?limit=0&channel=fax&from=x',
    ['limit out_of_range', 'channel not_allowed_value', 'from invalid_format'],
  ],
])('%s is refused', async (_, query, broken) => {
  const answer = await list(query);

  expect([
    answer.status,
    answer.body.error?.details.map(({ field, rule }) => `${field} ${rule}`).toSorted(),
  ]).toEqual([400, broken.toSorted()]);
});

test.each([
  '?from=0000-01-01T00:00:00Z',
  '?from=0001-01-01T00:00:00%2B14:00',
  '?to=9999-12-31T23:59:59-12:00',
])('the time in %s is out of the range of years', async (query) => {
  expect((await list(query)).status).toBe(400);
});

test('a changed cursor and the cursor of another list are refused', async () => {
  const nextCursor = (await list('?limit=1')).body.nextCursor ?? '';
  const changed = Buffer.from(nextCursor, 'base64url');
  changed[changed.length - 20]! ^= 1;
  await t.call({ path: '/v1/webhooks', body: { name: 'one', endPoint: 'http://127.0.0.1/' } });
  await t.call({ path: '/v1/webhooks', body: { name: 'two', endPoint: 'http://127.0.0.1/' } });
  const webhooks = await t.call({ method: 'GET', path: '/v1/webhooks?limit=1' });

  for (const cursor of [changed.toString('base64url'), nextCursor.slice(0, -4), webhooks.body.nextCursor])
    expectFailure(await list(`?cursor=${cursor}`), 400, 'invalid_request', ['cursor invalid_format']);
});

test.each<[string, object, string[]]>([
  ['a number as recipient', { recipient: 919800000301 }, ['recipient invalid_type']],
  ['an object as a filter', { status: { $ne: 'x' } }, ['status not_allowed_value']],
  ['a number as a time', { from: 1 }, ['from invalid_type']],
  ['a list as a cursor', { cursor: ['x'] }, ['cursor invalid_type']],
])('%s in a body is refused', async (_, body, broken) => {
  expectFailure(await search(body), 400, 'invalid_request', broken);
});

test('unknown query parameters are refused by name', async () => {
  const answer = await list('?sort=name%3Bdrop%20table&status[$ne]=x&limit=1');

  expectFailure(answer, 400, 'unknown_parameter', [
    'sort unknown_parameter',
    'status[$ne] unknown_parameter',
  ]);
});

test('a key without the scope is refused', async () => {
  expectFailure(await list('', await t.addKey('Test only', ['manage'])), 403, 'scope_missing');
});
