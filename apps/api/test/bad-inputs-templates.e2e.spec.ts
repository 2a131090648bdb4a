import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiUnderTest, expectFailure, startApi } from './api-under-test.ts';

const BODY = { type: 'BODY', text: 'Hi {{1}}, your order {{2}} is here.' };
const OTP = { type: 'OTP', otp_type: 'COPY_CODE' };
const CODE = { type: 'BODY', text: '{{1}} is your code' };
const CARD = { header: { type: 'IMAGE', image_url: 'https://example.com/a.jpg' }, body: 'A card' };

let t: ApiUnderTest;
let chatAccountId: number;

beforeAll(async () => {
  t = await startApi();
  chatAccountId = (await t.call<{ id: number }[]>({ method: 'GET', path: '/v1/chat-accounts' })).body.data[0]!
    .id;
});
afterAll(async () => t[Symbol.asyncDispose]());

async function countTemplates(): Promise<number> {
  const [{ count }] = await t.db.query(`SELECT count(*)::integer FROM template`);
  return count as number;
}

const good = (): Record<string, unknown> => ({
  name: 'order_update',
  category: 'UTILITY',
  chatAccountId,
  components: [BODY],
});
const create = (body: object) => t.call({ path: '/v1/chatapp/createChatTemplate', body });

const times = (length: number, one: object): object[] => Array.from({ length }, () => one);

type Row = [name: string, fields: Record<string, unknown>, broken: string[]];

/** Components in place of the good ones. */
const components = (id: string, list: unknown, ...broken: string[]): Row => [
  `${id} ${JSON.stringify(list)?.slice(0, 100)}`,
  { components: list },
  broken,
];
const field = (id: string, name: string, values: unknown[], rule: string): Row[] =>
  values.map((value) => [
    `${id} ${name} ${JSON.stringify(value)?.slice(0, 60)}`,
    { [name]: value },
    [`${name} ${rule}`],
  ]);
const buttons = (id: string, list: unknown, ...broken: string[]): Row =>
  components(id, [BODY, { type: 'BUTTONS', buttons: list }], ...broken);
const button = (id: string, one: object, ...broken: string[]): Row =>
  buttons(id, [one], ...broken.map((each) => `components[1].buttons[0].${each}`));
const url = (id: string, link: unknown, rule: string): Row =>
  button(id, { type: 'URL', text: 'Open', url: link }, `url ${rule}`);
const header = (id: string, one: object, ...broken: string[]): Row =>
  components(id, [{ type: 'HEADER', ...one }, BODY], ...broken.map((each) => `components[0].${each}`));
const example = (id: string, body_text: unknown, ...broken: string[]): Row =>
  components(
    id,
    [{ ...BODY, example: { body_text } }],
    ...broken.map((each) => `components[0].example.${each}`),
  );
const cards = (id: string, list: unknown, ...broken: string[]): Row =>
  components(id, [BODY, { type: 'CAROUSEL', cards: list }], ...broken);
const card = (id: string, one: object, ...broken: string[]): Row =>
  cards(id, [{ ...CARD, ...one }], ...broken.map((each) => `components[1].cards[0].${each}`));
const authentication = (id: string, list: object[], ...broken: string[]): Row => [
  `${id} ${JSON.stringify(list).slice(0, 100)}`,
  { category: 'AUTHENTICATION', components: list },
  broken,
];

const rows: Row[] = [
  ...field('C040', 'name', [undefined], 'required'),
  ...field('C040', 'name', [null], 'null_not_allowed'),
  ...field('C040', 'name', [1, ['a']], 'invalid_type'),
  ...field('C040', 'name', ['', ' '], 'blank'),
  ...field('C041', 'name', ['Order', 'a-b', 'a b', 'é', 'a\n', 'order🙂'], 'invalid_format'),
  ...field('C041', 'name', ['n'.repeat(513)], 'max_length'),
  ...field('C043', 'category', [undefined], 'required'),
  ...field('C043', 'category', ['PROMO', 'Utility ', ['UTILITY'], '__proto__', '', 1], 'not_allowed_value'),
  ...field(
    'language',
    'language',
    ['EN', 'english', 'en-US', 'en_us', 'en,', ',', 'en;hi'],
    'invalid_format',
  ),
  ...field('language', 'language', ['en, en'], 'duplicate_item'),
  ...field('language', 'language', [['en']], 'invalid_type'),
  ...field('language', 'language', [' '], 'blank'),
  ...field('chat account', 'chatAccountId', ['x', '1.5', '-1', 1.5, true, '9'.repeat(16)], 'invalid_type'),
  ...field('chat account', 'chatAccountId', [0, -1, 1e15, 1e300], 'out_of_range'),
  ...field('C047', 'components', [undefined], 'required'),
  ...field('C047', 'components', [{}, 'x', 1], 'invalid_type'),
  ...field('C047', 'components', [[]], 'too_few_items'),
  ...field('C047', 'components', [null], 'null_not_allowed'),
  components('C047', [null], 'components[0] null_not_allowed'),
  components('C047', ['x'], 'components[0] invalid_type'),
  components('C047', [{}], 'components[0].type required'),
  components('C047', [{ type: 'body' }], 'components[0].type not_allowed_value', 'components missing_body'),
  components('C047', [{ type: '__proto__' }, BODY], 'components[0].type not_allowed_value'),
  components('twice', [BODY, BODY], 'components[1].type duplicate_item'),
  components('no body', [{ type: 'FOOTER', text: 'Bye' }], 'components missing_body'),
  components('C049', [{ type: 'BODY' }], 'components[0].text required'),
  components('C049', [{ type: 'BODY', text: '' }], 'components[0].text blank'),
  components('C049', [{ type: 'BODY', text: '   ' }], 'components[0].text blank'),
  components('C049', [{ type: 'BODY', text: 'b'.repeat(1025) }], 'components[0].text max_length'),
  ...['{{0}}', '{{a}}', '{{1}', '{{ 1 }}', '{{99999999999999999999}}'].map((text) =>
    components('C050', [{ type: 'BODY', text }], 'components[0].text invalid_placeholder'),
  ),
  components('C050', [{ type: 'BODY', text: '{{1}} {{3}}' }], 'components[0].text placeholder_order'),
  example('C052', [['a']], 'body_text[0] example_mismatch'),
  example('C052', 'a', 'body_text invalid_type'),
  example('C052', ['a'], 'body_text[0] invalid_type'),
  example('C052', [[null, 'b']], 'body_text[0][0] null_not_allowed'),
  example('C052', [[1, 'b']], 'body_text[0][0] invalid_type'),
  example('C052', [], 'body_text too_few_items'),
  components('body_params', [{ ...BODY, body_params: [1] }], 'components[0].body_params[0] invalid_type'),
  components('footer', [BODY, { type: 'FOOTER', text: 'f'.repeat(61) }], 'components[1].text max_length'),
  components(
    'footer',
    [BODY, { type: 'FOOTER', text: 'Bye {{1}}' }],
    'components[1].text placeholder_not_allowed',
  ),
  header('C053', {}, 'format required'),
  header('C053', { format: 'GIF' }, 'format not_allowed_value'),
  header('C053', { format: 'TEXT' }, 'text required'),
  header('C053', { format: 'TEXT', text: 'h'.repeat(61) }, 'text max_length'),
  header('C053', { format: 'IMAGE' }, 'example required'),
  header('C053', { format: 'IMAGE', example: {} }, 'example.header_handle required'),
  header('C053', { format: 'IMAGE', example: { header_handle: [] } }, 'example.header_handle too_few_items'),
  header('C053', { format: 'VIDEO', example: { header_handle: [''] } }, 'example.header_handle[0] blank'),
  header('C053', { format: 'VIDEO', example: { header_handle: 'x' } }, 'example.header_handle invalid_type'),
  ...['javascript:alert(1)', 'data:text/html,x', 'ftp://x', '//x', ''].map((link) =>
    url('C055', link, 'invalid_format'),
  ),
  url('C055', 'http://u:p@x', 'url_user_info'),
  url('C055', undefined, 'required'),
  url('C056', 'https://x/{{1}}{{2}}', 'too_many_placeholders'),
  url('C056', 'https://{{1}}/x', 'placeholder_not_allowed'),
  buttons('C058', [], 'components[1].buttons too_few_items'),
  buttons('C058', times(11, { type: 'CATALOG', text: 'See' }), 'components[1].buttons too_many_items'),
  buttons('C058', [null], 'components[1].buttons[0] null_not_allowed'),
  button('C058', OTP, 'type not_allowed_value'),
  button('C058', { type: 'URL', text: 't'.repeat(26), url: 'https://x' }, 'text max_length'),
  button('C058', { type: 'SHARE', text: 'Share' }, 'type not_allowed_value'),
  button(
    'C058',
    { type: 'PHONE_NUMBER', text: 'Call', phone_number: '12345' },
    'phone_number invalid_format',
  ),
  button('C058', { type: 'FLOW', text: 'Go' }, 'flow_id required'),
  button('C058', { type: 'ORDER_DETAILS' }, 'text required'),
  authentication(
    'C058',
    [CODE, { type: 'BUTTONS', buttons: [{ type: 'OTP' }] }],
    'components[1].buttons[0].otp_type required',
  ),
  authentication(
    'C058',
    [CODE, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'copy_code' }] }],
    'components[1].buttons[0].otp_type not_allowed_value',
  ),
  authentication('C059', [CODE], 'components missing_otp_button'),
  authentication(
    'C059',
    [
      { ...CODE, text: 'Your code' },
      { type: 'BUTTONS', buttons: [OTP] },
    ],
    'components[0].text placeholder_required',
  ),
  authentication(
    'C059',
    [CODE, { type: 'BUTTONS', buttons: [OTP, { type: 'URL', text: 'x', url: 'https://x' }] }],
    'components[1].buttons[1].type not_allowed_value',
    'components[1].buttons[1] too_many_items',
  ),
  cards('C061', [], 'components[1].cards too_few_items'),
  cards('C061', times(11, CARD), 'components[1].cards too_many_items'),
  card('C061', { buttons: times(3, { type: 'QUICK_REPLY', text: 'x' }) }, 'buttons too_many_items'),
  card('C061', { header: { type: 'IMAGE', image_url: 'ftp://x' } }, 'header.image_url invalid_format'),
  card('C061', { header: undefined }, 'header required'),
  card('C061', { header: { type: 'GIF' } }, 'header.type not_allowed_value', 'header.image_url required'),
  card('C061', { body: undefined, footer: 7 }, 'body required', 'footer invalid_type'),
  card('C061', { buttons: [{ type: 'URL', text: 'x' }] }, 'buttons[0].url required'),
  ...[0, 91].map(
    (value): Row => [
      `C062 ${value}`,
      {
        category: 'AUTHENTICATION',
        components: [CODE, { type: 'BUTTONS', buttons: [OTP] }],
        code_expiration_minutes: value,
      },
      ['code_expiration_minutes out_of_range'],
    ],
  ),
  ...field('C062', 'code_expiration_minutes', [1.5, '10'], 'invalid_type'),
  ...field('C062', 'code_expiration_minutes', [null], 'null_not_allowed'),
  ...field('C062 on UTILITY', 'code_expiration_minutes', [10], 'not_allowed_value'),
  ...field('options', 'allow_category_change', ['true', 1], 'invalid_type'),
  [
    'everything at once',
    {
      name: 'A',
      category: 'x',
      components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'URL', url: '//x' }] }],
    },
    [
      'name invalid_format',
      'category not_allowed_value',
      'components[0].text required',
      'components[1].buttons[0].text required',
      'components[1].buttons[0].url invalid_format',
    ],
  ],
];

test.each(rows)('%s', async (_, fields, broken) => {
  const before = await countTemplates();
  expectFailure(await create({ ...good(), ...fields }), 400, 'invalid_request', broken);
  expect(await countTemplates()).toBe(before);
});

test('C046 a chat account of nobody', async () => {
  expectFailure(await create({ ...good(), chatAccountId: 1 }), 404, 'chat_account_not_found');
});

test.each([
  ['C067', 'cursor=x', 'cursor invalid_format'],
  ['C067', `cursor=${'A'.repeat(38)}`, 'cursor invalid_format'],
  ['C068', 'name=name;drop%20table', 'name invalid_format'],
  ['C068', 'status=x', 'status not_allowed_value'],
  ['C068', 'status=Approved&status=Paused', 'status not_allowed_value'],
  ['', 'chatAccountId=x', 'chatAccountId invalid_type'],
  ['', 'limit=201', 'limit out_of_range'],
])('%s a list with %s', async (_, query, broken) => {
  expectFailure(
    await t.call({ method: 'GET', path: `/v1/chatapp/chatTemplateList?${query}` }),
    400,
    'invalid_request',
    [broken],
  );
});

test('C068 an object as a filter', async () => {
  const answer = await t.call({
    path: '/v1/chatapp/chatTemplateList',
    body: { status: { $ne: 'x' }, name: ['a'], language: 1 },
  });
  expectFailure(answer, 400, 'invalid_request', [
    'status not_allowed_value',
    'language invalid_type',
    'name invalid_type',
  ]);
});

test.each([
  ['getChatTemplate', {}, ['id required']],
  ['getChatTemplate', { id: 7 }, ['id invalid_type']],
  ['deleteChatTemplate', { id: null }, ['id null_not_allowed']],
  ['reviewChatTemplate', { id: 'x' }, ['decision required']],
  ['reviewChatTemplate', { id: 'x', decision: 'APPROVE' }, ['decision not_allowed_value']],
  ['reviewChatTemplate', { id: 'x', decision: 'approve', reason: ' ' }, ['reason blank']],
])('%s with %j', async (operation, body, broken) => {
  expectFailure(await t.call({ path: `/v1/chatapp/${operation}`, body }), 400, 'invalid_request', broken);
});
