import { expect, test } from '@jest/globals';
import { type BadInput, GOOD_SMS, expectRefused, startSharedApi } from './api-under-test.ts';

const t = await startSharedApi({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } });

/** A good call with these fields changed; undefined omits a field. */
function refused(name: string, fields: Record<string, unknown>, ...broken: string[]): BadInput {
  return [name, { body: { ...GOOD_SMS, ...fields } }, 400, 'invalid_request', broken];
}

const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
const numbers = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => String(919800000100 + i));
const withBad = (count: number, index: number): string[] => numbers(count).with(index, '12345');

const rows: BadInput[] = [
  refused('letters as a number', { to: 'abc' }, 'to invalid_format'),
  refused('a number that is too short', { to: '12345' }, 'to invalid_format'),
  refused('16 digits', { to: '9198000001001234' }, 'to invalid_format'),
  refused('a leading zero', { to: '0919999999999' }, 'to invalid_format'),
  refused('a leading zero behind a plus', { to: '+0999999999' }, 'to invalid_format'),
  refused('a number with a space', { to: '91 9800000100' }, 'to invalid_format'),
  refused('a number with dashes', { to: '91-9800-000100' }, 'to invalid_format'),
  refused('two pluses', { to: '++919800000100' }, 'to invalid_format'),
  refused('a number in Arabic digits', { to: '٩١٩٨٠٠٠٠٠١٠٠' }, 'to invalid_format'),
  refused('a number with a line end', { to: '919800000100\n' }, 'to invalid_format'),
  refused('an empty number', { to: '' }, 'to invalid_format'),
  refused('no number', { to: undefined }, 'to required'),
  refused('null as a number', { to: null }, 'to null_not_allowed'),
  refused('a number as a number', { to: 919800000100 }, 'to invalid_type'),
  refused('an object as a number', { to: { $gt: '' } }, 'to invalid_type'),
  refused('a line end between numbers', { to: '919800000100\n919800000101' }, 'to invalid_format'),
  refused('a semicolon between numbers', { to: '919800000100;919800000101' }, 'to invalid_format'),
  refused(
    'a line end behind the comma of a list',
    { to: '919800000100,\n919800000101' },
    'to[1] invalid_format',
  ),
  refused('a comma too many', { to: '919800000100,,919800000101' }, 'to[1] invalid_format'),
  refused('a list within an array', { to: ['919800000100,919800000101'] }, 'to[0] invalid_format'),
  refused('an empty array', { to: [] }, 'to too_few_items'),
  refused('10,001 numbers', { to: numbers(10_001) }, 'to too_many_items'),
  refused('10,001 commas', { to: ','.repeat(10_001) }, 'to too_many_items'),
  refused('one bad number of 500', { to: withBad(500, 417) }, 'to[417] invalid_format'),
  refused('one bad number of 10,000', { to: withBad(10_000, 9_999) }, 'to[9999] invalid_format'),
  refused(
    'two bad numbers',
    { to: ['1', '919800000100', null] },
    'to[0] invalid_format',
    'to[2] null_not_allowed',
  ),
  refused('an array in the array', { to: [['919800000100']] }, 'to[0] invalid_type'),
  refused('a campaign name of 257 characters', { campaignName: 'x'.repeat(257) }, 'campaignName max_length'),
  refused('a campaign name of 200 KB', { campaignName: 'x'.repeat(200_000) }, 'campaignName max_length'),
  refused('a campaign name of 257 emoji', { campaignName: '😀'.repeat(257) }, 'campaignName max_length'),
  refused('a number as a campaign name', { campaignName: 5 }, 'campaignName invalid_type'),
  refused('a reference of 256 characters', { clientRef: 'x'.repeat(256) }, 'clientRef max_length'),
  refused('a time in words', { sendAt: 'tomorrow' }, 'sendAt invalid_format'),
  refused('a time without a zone', { sendAt: '2099-01-01T00:00:00' }, 'sendAt invalid_format'),
  refused('a day that does not exist', { sendAt: '2099-02-30T00:00:00Z' }, 'sendAt invalid_format'),
  refused('an empty time', { sendAt: '' }, 'sendAt invalid_format'),
  refused('a time as a number', { sendAt: Date.now() + 60_000 }, 'sendAt invalid_type'),
  refused('a time as an object', { sendAt: {} }, 'sendAt invalid_type'),
  refused(
    'a time that is over',
    { sendAt: new Date(Date.now() - 1_000).toISOString() },
    'sendAt out_of_range',
  ),
  refused(
    'a time in 181 days',
    { sendAt: new Date(Date.now() + 181 * 86_400_000).toISOString() },
    'sendAt out_of_range',
  ),
  refused(
    'an end that is over',
    { expiresAt: new Date(Date.now() - 1_000).toISOString() },
    'expiresAt out_of_range',
  ),
  refused(
    'an end before the beginning',
    { sendAt: inMinutes(10), expiresAt: inMinutes(9) },
    'expiresAt out_of_range',
  ),
  refused(
    'an end at the beginning',
    { sendAt: '2099-01-01T00:00:00Z', expiresAt: 5 },
    'expiresAt invalid_type',
    'sendAt out_of_range',
  ),
  refused('an array as an end', { expiresAt: [inMinutes(5)] }, 'expiresAt invalid_type'),
  refused('a rate of 0', { ratePerSecond: 0 }, 'ratePerSecond out_of_range'),
  refused('a negative rate', { ratePerSecond: -1 }, 'ratePerSecond out_of_range'),
  refused('a rate of 10,001', { ratePerSecond: 10_001 }, 'ratePerSecond out_of_range'),
  refused('a broken rate', { ratePerSecond: 1.5 }, 'ratePerSecond invalid_type'),
  refused('a rate as text', { ratePerSecond: '5' }, 'ratePerSecond invalid_type'),
  refused('true as a rate', { ratePerSecond: true }, 'ratePerSecond invalid_type'),
  refused('no sender', { sender: undefined }, 'sender required'),
  refused('an empty sender', { sender: '' }, 'sender invalid_format'),
  refused('a blank sender', { sender: '   ' }, 'sender invalid_format'),
  refused('12 characters as a sender', { sender: 'SIGNALBOXABC' }, 'sender invalid_format'),
  refused('a sender with a header in it', { sender: 'A B\r\nX' }, 'sender invalid_format'),
  refused('a sender with a line end', { sender: 'SIGNALBX\n' }, 'sender invalid_format'),
  refused('an accent in a sender', { sender: 'é' }, 'sender invalid_format'),
  refused('an emoji as a sender', { sender: '😀' }, 'sender invalid_format'),
  refused('two digits as a sender', { sender: '12' }, 'sender invalid_format'),
  refused('16 digits as a sender', { sender: '1234567890123456' }, 'sender invalid_format'),
  refused('a plus in a sender', { sender: '+919800000' }, 'sender invalid_format'),
  refused('a number as a sender', { sender: 12_345 }, 'sender invalid_type'),
  refused('no type', { type: undefined }, 'type required'),
  refused('an unknown type', { type: 'FLASH' }, 'type not_allowed_value'),
  refused('a number as a type', { type: 1 }, 'type not_allowed_value'),
  refused('a type with a space', { type: 'OTP ' }, 'type not_allowed_value'),
  refused('an array as a type', { type: ['OTP'] }, 'type not_allowed_value'),
  refused('a type of every object', { type: 'toString' }, 'type not_allowed_value'),
  refused('no text', { text: undefined }, 'text required'),
  refused('an empty text', { text: '' }, 'text blank'),
  refused('a blank text', { text: '   ' }, 'text blank'),
  refused('a text of line ends', { text: '\r\n\u2028' }, 'text blank'),
  refused('null as a text', { text: null }, 'text null_not_allowed'),
  refused('a number as a text', { text: 1 }, 'text invalid_type'),
  refused('a text of 11 parts in GSM-7', { text: 'x'.repeat(1_531) }, 'text max_length'),
  refused('a text of 11 parts in UCS-2', { text: 'न'.repeat(671) }, 'text max_length'),
  refused(
    'a plain text of 11 parts once it is Unicode',
    { text: 'x'.repeat(671), unicode: 1 },
    'text max_length',
  ),
  refused('an escape that does not fit into 10 parts', { text: `${'€'.repeat(760)}xx` }, 'text max_length'),
  ...[2, -1, '1', true, [1], 0.5].map((unicode) =>
    refused(`C137 unicode ${JSON.stringify(unicode)}`, { unicode }, 'unicode not_allowed_value'),
  ),
  ...[2, '1', false].map((flash) =>
    refused(`C137 flash ${JSON.stringify(flash)}`, { flash }, 'flash not_allowed_value'),
  ),
];

test.each(rows)(
  '%s is refused, leaves nothing behind, and the next request is served',
  async (_name, ...row) => {
    await expectRefused(t, ...row);
  },
);

test.each([
  ['10 parts in GSM-7', { text: 'x'.repeat(1_530) }, 10],
  ['10 parts in UCS-2', { text: 'न'.repeat(670) }, 10],
  ['Unicode that nobody announced', { text: 'नमस्ते', unicode: 0 }, 1],
  ['more than 70 characters of Unicode', { text: 'नमस्ते '.repeat(11) }, 2],
  ['160 characters of two septets each', { text: '€'.repeat(160) }, 3],
  ['160 plain characters', { text: 'x'.repeat(160) }, 1],
  ['160 plain characters as Unicode', { text: 'x'.repeat(160), unicode: 1 }, 3],
])('%s is accepted and counted', async (_name, fields, credits) => {
  const { body, status } = await t.call({ body: { ...GOOD_SMS, ...fields } });

  const message = await t.call<{ credits: number }>({ method: 'GET', path: `/v1/messages/${body.id}:1` });
  expect([status, message.body.data.credits]).toEqual([200, credits]);
});

test.each([
  ['a campaign name that is HTML', { campaignName: '<script>alert(1)</script>' }],
  ['a campaign name of 256 emoji', { campaignName: '😀'.repeat(256) }],
  ['a text of line ends, separators and joiners', { text: 'a\r\nb\u2028c\u200dd\u202ee' }],
  ['a sender of 11 characters', { sender: 'Aa1 -_.& zZ' }],
  ['a sender with a space at its end', { sender: 'SIGNALBX ' }],
  ['a sender of 15 digits', { sender: '123456789012345' }],
  ['a sender of 3 digits', { sender: '123' }],
  ['the shortest number', { to: '1234567' }],
  ['the longest number', { to: '+123456789012345' }],
  ['SQL in every text', { text: "'; DROP TABLE submission; --", campaignName: "' OR 1=1", clientRef: '$1' }],
  ['a text that looks like a template', { text: '{{1}} {{status}} {#var#} ${x} %s' }],
])('%s is stored as it is', async (_name, fields) => {
  const { status, body } = await t.call({ body: { ...GOOD_SMS, ...fields } });

  const [row] = await t.db.query(
    `SELECT sender, content->>'text' AS text, campaign, client_ref, recipients FROM submission WHERE id = $1`,
    [body.id],
  );
  const {
    sender,
    to,
    text,
    campaignName = null,
    clientRef = null,
  } = { ...GOOD_SMS, ...fields } as Record<string, string>;
  expect([status, row]).toEqual([
    200,
    { sender, text, campaign: campaignName, client_ref: clientRef, recipients: [to?.replace('+', '')] },
  ]);
});

test('a comma-separated list and an array of 10,000 keep their order and duplicates', async () => {
  const list = await t.call<{ recipient: string }[]>({
    body: { ...GOOD_SMS, to: '919800000102,+919800000101,919800000102' },
  });
  const many = await t.call<{ recipient: string; messageId: string }[]>({
    body: { ...GOOD_SMS, to: numbers(10_000) },
  });

  expect(list.body.data.map(({ recipient }) => recipient)).toEqual([
    '919800000102',
    '919800000101',
    '919800000102',
  ]);
  expect([many.status, many.body.totalCount]).toEqual([200, 10_000]);
  expect(many.body.data.at(-1)).toEqual({ recipient: '919800010099', messageId: `${many.body.id}:10000` });
});
