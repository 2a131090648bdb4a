import { beforeAll, expect, test } from '@jest/globals';
import { newApiKey } from '@signalbox/domain/api-key';
import { TEMPLATE_SAMPLES, mediaSamples } from '@signalbox/test/template-samples';
import { type BadInput, expectFailure, startSharedApi } from './api-under-test.ts';
import {
  FROM,
  GOOD_TEXT,
  MESSAGES,
  addTemplate,
  broken,
  expectMessageRefused,
} from './chatapp-under-test.ts';

const NUMBERS = { from: FROM, to: '919800000100' };
const ORDER = { ...NUMBERS, type: 'template', templateName: 'order_details' };
const CODE = { ...NUMBERS, type: 'template', templateName: 'copy_code', otp: '123456' };

const t = await startSharedApi({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } });

beforeAll(async () => {
  const { order_details, copy_code, utility_simple } = TEMPLATE_SAMPLES;
  const { marketing_image } = mediaSamples({ IMAGE: 'i', VIDEO: 'v', DOCUMENT: 'd' });
  await addTemplate(t, 'order_details', order_details!, 'approve');
  await addTemplate(t, 'copy_code', copy_code!, 'approve');
  await addTemplate(t, 'with_image', marketing_image!, 'approve');
  await addTemplate(t, 'plain', utility_simple!, 'approve');
  await addTemplate(t, 'is_pending', utility_simple!);
  await addTemplate(t, 'is_rejected', utility_simple!, 'reject');
  await addTemplate(t, 'is_paused', utility_simple!, 'approve', 'pause');
});

const withParams = (params: unknown): object => ({ components: { body: { params } } });
const inAny: BadInput[] = [
  ['no key', { body: GOOD_TEXT, headers: { apikey: null } }, 401, 'api_key_missing'],
  ['an unknown key', { body: GOOD_TEXT, headers: { apikey: newApiKey('live') } }, 401, 'api_key_invalid'],
  [
    'a key in the URL',
    { path: `${MESSAGES}?apikey=${newApiKey('live')}`, body: GOOD_TEXT, headers: { apikey: null } },
    401,
    'api_key_missing',
  ],
  ['GET', { method: 'GET' }, 405, 'method_not_allowed'],
  ['PUT', { method: 'PUT', body: GOOD_TEXT }, 405, 'method_not_allowed'],
  ['a trailing slash', { path: `${MESSAGES}/`, body: GOOD_TEXT }, 404, 'route_not_found'],
  ['two slashes', { path: '/v1//chatapp', body: GOOD_TEXT }, 404, 'route_not_found'],
  ['another version', { path: '/v2/chatapp', body: GOOD_TEXT }, 404, 'route_not_found'],
  ['no body', {}, 400, 'malformed_json'],
  ['half a body', { body: '{"a":1,}' }, 400, 'malformed_json'],
  ['an array', { body: [GOOD_TEXT] }, 400, 'invalid_request', ['body invalid_type']],
  [
    'a body over the limit',
    { body: { ...GOOD_TEXT, text: { body: 'x'.repeat(300_000) } } },
    413,
    'payload_too_large',
  ],
  [
    '__proto__',
    { body: '{"text":{"__proto__":{"body":"x"}}}' },
    400,
    'invalid_request',
    ['text.__proto__ forbidden_field'],
  ],
  [
    'constructor',
    { body: { ...GOOD_TEXT, constructor: 1 } },
    400,
    'invalid_request',
    ['constructor forbidden_field'],
  ],
  [
    'a compressed body',
    { body: Buffer.from('x'), headers: { 'content-encoding': 'gzip' } },
    415,
    'unsupported_media_type',
  ],
  broken('U+0000', GOOD_TEXT, { text: { body: 'a\0' } }, 'text.body invalid_character'),
  broken(
    'U+0000 in a value',
    ORDER,
    withParams(['\0', '', '', '', '']),
    'components.body.params[0] invalid_character',
  ),
  [
    'an idempotency key of 256 characters',
    { body: GOOD_TEXT, headers: { 'idempotency-key': 'k'.repeat(256) } },
    400,
    'idempotency_key_invalid',
  ],
];

const inEvery: BadInput[] = [
  broken('no type', GOOD_TEXT, { type: undefined }, 'type required'),
  broken('null as a type', GOOD_TEXT, { type: null }, 'type null_not_allowed'),
  ...['', 'TEMPLATES', 'audio', 'constructor', 'toString', ['text'], {}, 1].map((type) =>
    broken(`the type ${JSON.stringify(type)}`, GOOD_TEXT, { type }, 'type not_allowed_value'),
  ),
  broken('nothing', {}, {}, 'from required', 'to required', 'type required'),
  broken('no sender', GOOD_TEXT, { from: undefined }, 'from required'),
  broken('a number as a sender', GOOD_TEXT, { from: 12 }, 'from invalid_type'),
  broken('a word as a sender', GOOD_TEXT, { from: 'abc' }, 'from invalid_format'),
  broken('an empty sender', GOOD_TEXT, { from: '' }, 'from invalid_format'),
  ['an unregistered sender', { body: { ...GOOD_TEXT, from: '15550100009' } }, 404, 'sender_not_found'],
  ...[
    'abc',
    '12345',
    '9198000001001234',
    '0919999999999',
    '+0999999999',
    '91 9800000100',
    '',
    '٩١٩٨٠٠٠٠٠١٠٠',
  ].map((to) => broken(`the recipient ${to}`, GOOD_TEXT, { to }, 'to invalid_format')),
  ...['919800000100,919800000101', '919800000100\n919800000101', '919800000100;x', '919800000100,'].map(
    (to) => broken(`the recipients ${JSON.stringify(to)}`, GOOD_TEXT, { to }, 'to invalid_format'),
  ),
  broken('an array as the recipient', GOOD_TEXT, { to: ['919800000100'] }, 'to invalid_type'),
  broken('an object as the recipient', GOOD_TEXT, { to: { $gt: '' } }, 'to invalid_type'),
  broken(
    'a group as the recipient',
    GOOD_TEXT,
    { recipient_type: 'group' },
    'recipient_type not_allowed_value',
  ),
  broken(
    'a campaign name of 257 characters',
    GOOD_TEXT,
    { campaignName: 'x'.repeat(257) },
    'campaignName max_length',
  ),
  broken('a number as a campaign name', GOOD_TEXT, { campaignName: 5 }, 'campaignName invalid_type'),
  broken('a reference of 256 characters', GOOD_TEXT, { clientRef: 'x'.repeat(256) }, 'clientRef max_length'),
  broken('a time that is over', GOOD_TEXT, { sendAt: '2020-01-01T00:00:00Z' }, 'sendAt out_of_range'),
  broken('a time in words', GOOD_TEXT, { expiresAt: 'soon' }, 'expiresAt invalid_format'),
  [
    'neither true nor false',
    { path: `${MESSAGES}?dryRun=1`, body: GOOD_TEXT },
    400,
    'invalid_request',
    ['dryRun not_allowed_value'],
  ],
];

const inTemplates: BadInput[] = [
  broken('no template name', ORDER, { templateName: undefined }, 'templateName required'),
  broken('a template name with capitals', ORDER, { templateName: 'Bad-Name' }, 'templateName invalid_format'),
  broken(
    'a template name of 513 characters',
    ORDER,
    { templateName: 'x'.repeat(513) },
    'templateName max_length',
  ),
  broken('a number as a template name', ORDER, { templateName: 1 }, 'templateName invalid_type'),
  ['an unknown template', { body: { ...ORDER, templateName: 'never_was' } }, 404, 'template_not_found'],
  ...['is_pending', 'is_rejected', 'is_paused'].map(
    (templateName): BadInput => [
      `a template that ${templateName}`,
      { body: { ...ORDER, templateName } },
      409,
      'template_not_approved',
    ],
  ),
  broken(
    'null among the values',
    ORDER,
    withParams(['a', null]),
    'components.body.params[1] null_not_allowed',
  ),
  broken('a number among the values', ORDER, withParams([1]), 'components.body.params[0] invalid_type'),
  broken('a text as the values', ORDER, withParams('a'), 'components.body.params invalid_type'),
  broken('an object as the values', ORDER, withParams({ 0: 'a' }), 'components.body.params invalid_type'),
  broken('1,000 values', ORDER, withParams(Array(1_000).fill('a')), 'components.body.params too_many_items'),
  ...[[], ['a', 'b', 'c', 'd'], ['a', 'b', 'c', 'd', 'e', 'f']].map(
    (params): BadInput => [
      `${params.length} values for 5 placeholders`,
      { body: { ...ORDER, ...withParams(params) } },
      422,
      'template_parameters_mismatch',
      ['components.body.params wrong_count'],
    ],
  ),
  [
    'no components',
    { body: ORDER },
    422,
    'template_parameters_mismatch',
    ['components.body.params wrong_count'],
  ],
  broken(
    'a value of 1,025 characters',
    ORDER,
    withParams(['x'.repeat(1_025)]),
    'components.body.params[0] max_length',
  ),
  broken(
    'line ends and tabs in a value',
    ORDER,
    withParams(['a\nb\tc', '\u2028']),
    ...[0, 1].map((i) => `components.body.params[${i}] invalid_character`),
  ),
  broken('an array as the components', ORDER, { components: [] }, 'components invalid_type'),
  broken('an array as the body', ORDER, { components: { body: ['a'] } }, 'components.body invalid_type'),
  broken('no code', CODE, { otp: undefined }, 'otp required'),
  broken('a number as a code', CODE, { otp: 123456 }, 'otp invalid_type'),
  ...['1'.repeat(16), '123', '12 34', '<b>1', '१२३४', '1234\n', ''].map((otp) =>
    broken(`the code ${JSON.stringify(otp)}`, CODE, { otp }, 'otp invalid_format'),
  ),
  [
    'another code among the values',
    { body: { ...CODE, ...withParams(['654321']) } },
    422,
    'template_parameters_mismatch',
    ['components.body.params not_allowed_value'],
  ],
  broken('a text as the language', ORDER, { language: 'en' }, 'language invalid_type'),
  broken('a language without a code', ORDER, { language: {} }, 'language.code required'),
  broken(
    'a number as the code of a language',
    ORDER,
    { language: { code: 1 } },
    'language.code invalid_type',
  ),
  broken(
    'a language of 36 characters',
    ORDER,
    { language: { code: 'x'.repeat(36) } },
    'language.code max_length',
  ),
  [
    'a language that the template is not in',
    { body: { ...ORDER, language: { code: 'ta' } } },
    404,
    'template_not_found',
  ],
  [
    'no file for a header that shows one',
    { body: { ...ORDER, templateName: 'with_image', ...withParams(['a', 'b']) } },
    422,
    'template_header_mismatch',
    ['components.header required'],
  ],
  ...[
    ['with_image', { type: 'video', video: { link: 'https://example.com/a.mp4' } }],
    ['with_image', { type: 'text', text: 'Hi' }],
    ['plain', { type: 'text', text: 'Hi' }],
    ['plain', { type: 'image', image: { link: 'https://example.com/a.png' } }],
    ['order_details', { type: 'image', image: { link: 'https://example.com/a.png' } }],
  ].map(([templateName, header]): BadInput => {
    const params = { with_image: ['a', 'b'], plain: [], order_details: ['a', 'b', 'c', 'd', 'e'] }[
      templateName as 'plain'
    ];
    const components = { body: { params }, header };
    const name = `a header of the type ${(header as { type: string }).type} for ${templateName as string}`;
    return [
      name,
      { body: { ...ORDER, templateName, components } },
      422,
      'template_header_mismatch',
      ['components.header template_mismatch'],
    ];
  }),
];

test.each([...inAny, ...inEvery, ...inTemplates])(
  '%s is refused and stores nothing',
  async (_name, ...row) => {
    await expectMessageRefused(t, ...row);
  },
);

test('a key without the scope, or of an account without the sender, sends nothing', async () => {
  const unscoped = await t.addKey('Readers', ['manage']);
  expectFailure(
    await t.call({ path: MESSAGES, body: GOOD_TEXT, headers: { apikey: unscoped } }),
    403,
    'scope_missing',
  );
  const stranger = await t.addKey('Strangers');
  expectFailure(
    await t.call({ path: MESSAGES, body: GOOD_TEXT, headers: { apikey: stranger } }),
    404,
    'sender_not_found',
  );
});

test.each([
  ['a campaign name that is HTML', { ...GOOD_TEXT, campaignName: '<script>' }],
  [
    'a value that looks like a placeholder',
    { ...ORDER, ...withParams(['{{2}}', '{{1}}', ' ', 'x'.repeat(1_024), '']) },
  ],
  ['a code of 15 letters and digits', { ...CODE, otp: 'aZ9'.repeat(5) }],
  [
    'a static header that is repeated',
    {
      ...ORDER,
      components: { body: { params: ['a', 'b', 'c', 'd', 'e'] }, header: { type: 'text', text: 'Order' } },
    },
  ],
])('%s is accepted', async (_name, body) => {
  const answer = await t.call({ path: MESSAGES, body });
  expect([answer.status, answer.body.error]).toEqual([200, null]);
});
