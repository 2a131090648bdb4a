import { expect, test } from '@jest/globals';
import { GOOD_SMS, expectRefused, startSharedApi } from './api-under-test.ts';

const NOBODYS = '019e6f0b-2d31-7c0a-8f5e-5b1d9f0c3a42';
const LINKS = { shortenUrl: true, targetUrl: ['https://example.com/a'] };
const LINKED = { text: 'See {{shortUrl}}', shortenUrlData: LINKS };

/** Template ids by text. */
const ids = new Map<string, string>();

const t = await startSharedApi({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } });

async function templateOf(text: string, options: object = {}): Promise<string> {
  const key = JSON.stringify([text, options]);
  const known = ids.get(key);
  if (known) return known;
  const { body } = await t.call<{ id: string }>({
    path: '/v1/sms/templates',
    body: { name: `template ${ids.size}`, text, ...options },
  });
  ids.set(key, body.data.id);
  return body.data.id;
}

test.each([
  ['an empty templateId', { templateId: '' }, 'templateId blank'],
  ['a number as a templateId', { templateId: 1 }, 'templateId invalid_type'],
  ['values without a template', { custom: ['x'] }, 'custom not_applicable'],
  ['shortenUrlData as an array', { ...LINKED, shortenUrlData: [] }, 'shortenUrlData invalid_type'],
  ['shortenUrlData as a string', { ...LINKED, shortenUrlData: 'x' }, 'shortenUrlData invalid_type'],
  [
    'shortenUrl as a string',
    { ...LINKED, shortenUrlData: { ...LINKS, shortenUrl: 'true' } },
    'shortenUrlData.shortenUrl invalid_type',
  ],
  [
    'shortenUrl as a number',
    { ...LINKED, shortenUrlData: { ...LINKS, shortenUrl: 1 } },
    'shortenUrlData.shortenUrl invalid_type',
  ],
  ['no targetUrl', { ...LINKED, shortenUrlData: { shortenUrl: true } }, 'shortenUrlData.targetUrl required'],
  ['a string as targetUrl', targets('http://x.example'), 'shortenUrlData.targetUrl invalid_type'],
  ['an empty targetUrl', targets([]), 'shortenUrlData.targetUrl too_few_items', 'text placeholder_unknown'],
  ['11 addresses', targets(Array(11).fill('https://x.example')), 'shortenUrlData.targetUrl too_many_items'],
  ['null as an address', targets([null]), 'shortenUrlData.targetUrl[0] null_not_allowed'],
  ['a number as an address', targets([1]), 'shortenUrlData.targetUrl[0] invalid_type'],
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://x.example',
    '//x.example',
    'x.example',
    'http://u:p@x.example',
    'https://exa\tmple.com',
    'https://x.example/\r\nX: y',
    'http:/\\x.example',
    'http:///x',
    `https://x.example/${'x'.repeat(2_050)}`,
    '',
  ].map((url): [string, object, string] => [
    `the address ${url.slice(0, 30)}`,
    targets([url]),
    'shortenUrlData.targetUrl[0] invalid_format',
  ]),
  ['no place for the link', { shortenUrlData: LINKS }, 'text placeholder_missing'],
  [
    'more places than addresses',
    { ...LINKED, text: '{{shortUrl1}} {{shortUrl2}}' },
    'text placeholder_unknown',
  ],
  ['a short link in a promotion', { ...LINKED, type: 'PROMO' }, 'type not_allowed_value'],
  ['a short link in a one-time password', { ...LINKED, type: 'OTP' }, 'type not_allowed_value'],
  [
    '11 parts by the length of the link',
    { ...LINKED, text: `${'x'.repeat(1_500)}{{shortUrl}}` },
    'text max_length',
  ],
] as [string, object, ...string[]][])('%s is refused', async (_name, fields, ...broken) => {
  await expectRefused(t, { body: { ...GOOD_SMS, ...fields } }, 400, 'invalid_request', broken);
});

function targets(targetUrl: unknown): object {
  return { ...LINKED, shortenUrlData: { shortenUrl: true, targetUrl } };
}

const two = ['919800000100', '919800000101'];

test.each([
  ['no values', 'Hi {{1}}', { custom: undefined }, 'custom required'],
  ['a string as values', 'Hi {{1}}', { custom: 'a' }, 'custom invalid_type'],
  ['an object as values', 'Hi {{1}}', { custom: {} }, 'custom invalid_type'],
  ['null as a value', 'Hi {{1}} {{2}}', { custom: ['a', null] }, 'custom[1] null_not_allowed'],
  ['a number as a value', 'Hi {{1}}', { custom: [1] }, 'custom[0] invalid_type'],
  ['a list among values', 'Hi {{1}} {{2}}', { custom: ['a', ['b']] }, 'custom[1] invalid_type'],
  ['a value among lists', 'Hi {{1}}', { to: two, custom: [['a'], 'b'] }, 'custom[1] invalid_type'],
  ['null in a list', 'Hi {{1}}', { to: two, custom: [['a'], [null]] }, 'custom[1][0] null_not_allowed'],
  ['a list too few', 'Hi {{1}}', { to: two, custom: [['a']] }, 'custom wrong_count'],
  ['type OTP without text', 'Hi {{1}}', { custom: ['a'], type: 'OTP' }, 'type not_allowed_value'],
  ['type PROMO without text', 'Hi {{1}}', { custom: ['a'], type: 'PROMO' }, 'type not_allowed_value'],
  ['no sender anywhere', 'Hi {{1}}', { custom: ['a'], sender: undefined }, 'sender required'],
  ['a text that does not match', 'Hi {{1}}', { text: 'Hello Ann' }, 'text template_mismatch'],
  ['values beside a text', 'Hi {{1}}', { text: 'Hi Ann', custom: ['Ann'] }, 'custom not_applicable'],
  ['a template with a link, but no address', 'See {{shortUrl}}', { custom: [] }, 'shortenUrlData required'],
  [
    'a text with the link of the template, but no address',
    'See {{shortUrl}}',
    { text: 'See {{shortUrl}}' },
    'shortenUrlData required',
  ],
  [
    'addresses, but no place in the template',
    'Hi',
    { custom: [], shortenUrlData: LINKS },
    'templateId placeholder_missing',
  ],
  ['a text that values make blank', '{{1}}', { custom: [' '] }, 'custom blank'],
  ['a text that values make too long', 'Hi {{1}}', { custom: ['x'.repeat(1_600)] }, 'custom max_length'],
  [
    'one recipient whose text is too long',
    'Hi {{1}}',
    { to: two, custom: [['Ann'], ['न'.repeat(700)]] },
    'custom[1] max_length',
  ],
] as [string, string, object, ...string[]][])(
  'with a template, %s is refused',
  async (_name, template, fields, ...broken) => {
    const templateId = await templateOf(template);

    await expectRefused(
      t,
      { body: { ...GOOD_SMS, text: undefined, templateId, ...fields } },
      400,
      'invalid_request',
      broken,
    );
  },
);

test.each([
  ['too few values', { custom: ['a'] }, 'custom wrong_count'],
  ['too many values', { custom: ['a', 'b', 'c'] }, 'custom wrong_count'],
  ['no values', { custom: [] }, 'custom wrong_count'],
  ['too few values of one recipient', { to: two, custom: [['a', 'b'], ['a']] }, 'custom[1] wrong_count'],
])('with a template of two values, %s are refused', async (_name, fields, broken) => {
  const templateId = await templateOf('Hi {{1}} {{2}}');

  await expectRefused(
    t,
    { body: { ...GOOD_SMS, text: undefined, templateId, ...fields } },
    422,
    'template_parameters_mismatch',
    [broken],
  );
});

test('a template of another type is refused', async () => {
  const templateId = await templateOf('Hi {{1}}', { type: 'PROMO' });

  await expectRefused(t, { body: { ...GOOD_SMS, text: 'Hi Ann', templateId } }, 400, 'invalid_request', [
    'type template_mismatch',
  ]);
});

test.each(['a', NOBODYS, 'x'.repeat(100)])('the unknown template %s is absent', async (templateId) => {
  await expectRefused(t, { body: { ...GOOD_SMS, templateId } }, 404, 'sms_template_not_found');
});

test('a value that looks like a placeholder is sent as it is', async () => {
  const templateId = await templateOf('{#var#} and {#var#}');
  const { body } = await t.call({
    body: { ...GOOD_SMS, text: undefined, templateId, custom: ['{#var#}', '{{1}}{{shortUrl}}'] },
  });

  const [row] = await t.db.query(`SELECT content->>'text' AS text FROM submission WHERE id = $1`, [body.id]);
  expect(row).toEqual({ text: '{#var#} and {{1}}{{shortUrl}}' });
});

test('a dry run refuses other values of dryRun, and bad bodies', async () => {
  const path = '/v1/sms?dryRun=';

  await expectRefused(t, { path: `${path}yes`, body: GOOD_SMS }, 400, 'invalid_request', [
    'dryRun not_allowed_value',
  ]);
  await expectRefused(
    t,
    { path: `${path}true`, body: { ...GOOD_SMS, to: ['x'], text: '' } },
    400,
    'invalid_request',
    ['text blank', 'to[0] invalid_format'],
  );
  await expectRefused(
    t,
    { path: `${path}true`, body: { ...GOOD_SMS, templateId: NOBODYS } },
    404,
    'sms_template_not_found',
  );
});
