import { expect, test } from '@jest/globals';
import { expectFailure, startSharedApi } from './api-under-test.ts';

const BODY = { type: 'BODY', text: 'Hi {{1}}, your order {{2}} is here.' };
const OTP = { type: 'OTP', otp_type: 'COPY_CODE' };
const CODE = { type: 'BODY', text: '{{1}} is your code' };
const LONG_BUTTON = { type: 'URL', text: 'Open', url: `https://example.com/${'a'.repeat(1_900)}` };
const CARD = { header: { type: 'IMAGE', image_url: 'https://example.com/a.jpg' }, body: 'A card' };

const t = await startSharedApi();

const chatAccountId = (await t.call<{ id: number }[]>({ method: 'GET', path: '/v1/chat-accounts' })).body
  .data[0]!.id;

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

/** Replaces the good components. */
const components = (list: unknown, ...broken: string[]): Row => [
  `components ${JSON.stringify(list)?.slice(0, 100)}`,
  { components: list },
  broken,
];
const field = (name: string, values: unknown[], rule: string): Row[] =>
  values.map((value) => [
    `${name} ${JSON.stringify(value)?.slice(0, 60)}`,
    { [name]: value },
    [`${name} ${rule}`],
  ]);
const buttons = (list: unknown, ...broken: string[]): Row =>
  components([BODY, { type: 'BUTTONS', buttons: list }], ...broken);
const button = (one: object, ...broken: string[]): Row =>
  buttons([one], ...broken.map((each) => `components[1].buttons[0].${each}`));
const url = (link: unknown, rule: string): Row =>
  button({ type: 'URL', text: 'Open', url: link }, `url ${rule}`);
const header = (one: object, ...broken: string[]): Row =>
  components([{ type: 'HEADER', ...one }, BODY], ...broken.map((each) => `components[0].${each}`));
const example = (body_text: unknown, ...broken: string[]): Row =>
  components([{ ...BODY, example: { body_text } }], ...broken.map((each) => `components[0].example.${each}`));
const cards = (list: unknown, ...broken: string[]): Row =>
  components([BODY, { type: 'CAROUSEL', cards: list }], ...broken);
const card = (one: object, ...broken: string[]): Row =>
  cards([{ ...CARD, ...one }], ...broken.map((each) => `components[1].cards[0].${each}`));
const authentication = (list: object[], ...broken: string[]): Row => [
  `AUTHENTICATION components ${JSON.stringify(list).slice(0, 100)}`,
  { category: 'AUTHENTICATION', components: list },
  broken,
];

const rows: Row[] = [
  ...field('name', [undefined], 'required'),
  ...field('name', [null], 'null_not_allowed'),
  ...field('name', [1, ['a']], 'invalid_type'),
  ...field('name', ['', ' '], 'blank'),
  ...field('name', ['Order', 'a-b', 'a b', 'é', 'a\n', 'order🙂'], 'invalid_format'),
  ...field('name', ['n'.repeat(513)], 'max_length'),
  ...field('category', [undefined], 'required'),
  ...field('category', ['PROMO', 'Utility ', ['UTILITY'], '__proto__', '', 1], 'not_allowed_value'),
  ...field('language', ['EN', 'english', 'en-US', 'en_us', ',en', ',', 'en;hi'], 'invalid_format'),
  ...field('language', ['en, en'], 'duplicate_item'),
  ...field('language', [['en']], 'invalid_type'),
  ...field('language', [' '], 'blank'),
  ...field('chatAccountId', ['x', '1.5', '-1', 1.5, true, '9'.repeat(16)], 'invalid_type'),
  ...field('chatAccountId', [0, -1, 1e15, 1e300], 'out_of_range'),
  ...field('components', [undefined], 'required'),
  ...field('components', [{}, 'x', 1], 'invalid_type'),
  ...field('components', [[]], 'too_few_items'),
  ...field('components', [null], 'null_not_allowed'),
  components([null], 'components[0] null_not_allowed'),
  components(['x'], 'components[0] invalid_type'),
  components([{}], 'components[0].type required'),
  components([{ type: 'bodies' }], 'components[0].type not_allowed_value'),
  components([{ type: '__proto__' }, BODY], 'components[0].type not_allowed_value'),
  components([BODY, BODY], 'components[1].type duplicate_item'),
  components([{ type: 'FOOTER', text: 'Bye' }], 'components missing_body'),
  components([{ type: 'BODY' }], 'components[0].text required'),
  components([{ type: 'BODY', text: '' }], 'components[0].text blank'),
  components([{ type: 'BODY', text: '   ' }], 'components[0].text blank'),
  components([{ type: 'BODY', text: 'b'.repeat(1025) }], 'components[0].text max_length'),
  ...['{{0}}', '{{a}}', '{{1}', '{{ 1 }}', '{{99999999999999999999}}'].map((text) =>
    components([{ type: 'BODY', text }], 'components[0].text invalid_placeholder'),
  ),
  components([{ type: 'BODY', text: '{{1}} {{3}}' }], 'components[0].text placeholder_order'),
  example([['a']], 'body_text[0] example_mismatch'),
  example('a', 'body_text invalid_type'),
  example(['a'], 'body_text[0] invalid_type'),
  example([[null, 'b']], 'body_text[0][0] null_not_allowed'),
  example([[1, 'b']], 'body_text[0][0] invalid_type'),
  example([], 'body_text too_few_items'),
  example([['a'.repeat(1_025), 'b']], 'body_text[0][0] max_length'),
  cards(
    times(10, { ...CARD, body: '\u0905'.repeat(1_024), buttons: times(2, LONG_BUTTON) }),
    'components max_length',
  ),
  components([{ ...BODY, body_params: [1] }], 'components[0].body_params[0] invalid_type'),
  components([BODY, { type: 'FOOTER', text: 'f'.repeat(61) }], 'components[1].text max_length'),
  components([BODY, { type: 'FOOTER', text: 'Bye {{1}}' }], 'components[1].text placeholder_not_allowed'),
  header({}, 'format required'),
  header({ format: 'GIF' }, 'format not_allowed_value'),
  header({ format: 'TEXT' }, 'text required'),
  header({ format: 'TEXT', text: 'h'.repeat(61) }, 'text max_length'),
  header(
    { format: 'TEXT', text: '{{1}}', example: { header_text: ['a'.repeat(61)] } },
    'example.header_text[0] max_length',
  ),
  header({ format: 'IMAGE' }, 'example required'),
  header({ format: 'IMAGE', example: {} }, 'example.header_handle required'),
  header({ format: 'IMAGE', example: { header_handle: [] } }, 'example.header_handle too_few_items'),
  header({ format: 'VIDEO', example: { header_handle: [''] } }, 'example.header_handle[0] blank'),
  header({ format: 'VIDEO', example: { header_handle: 'x' } }, 'example.header_handle invalid_type'),
  ...['javascript:alert(1)', 'data:text/html,x', 'ftp://x', '//x', ''].map((link) =>
    url(link, 'invalid_format'),
  ),
  url('http://u:p@x', 'url_user_info'),
  url(undefined, 'required'),
  url('https://x/{{1}}{{2}}', 'too_many_placeholders'),
  url('https://{{1}}/x', 'placeholder_not_allowed'),
  buttons([], 'components[1].buttons too_few_items'),
  buttons(times(11, { type: 'CATALOG', text: 'See' }), 'components[1].buttons too_many_items'),
  buttons([null], 'components[1].buttons[0] null_not_allowed'),
  button(OTP, 'type not_allowed_value'),
  button({ type: 'URL', text: 't'.repeat(26), url: 'https://x' }, 'text max_length'),
  button({ type: 'SHARE', text: 'Share' }, 'type not_allowed_value'),
  button({ type: 'PHONE_NUMBER', text: 'Call', phone_number: '12345' }, 'phone_number invalid_format'),
  button({ type: 'FLOW', text: 'Go' }, 'flow_id required'),
  button({ type: 'ORDER_DETAILS' }, 'text required'),
  authentication(
    [CODE, { type: 'BUTTONS', buttons: [{ type: 'OTP' }] }],
    'components[1].buttons[0].otp_type required',
  ),
  authentication(
    [CODE, { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'copy-code' }] }],
    'components[1].buttons[0].otp_type not_allowed_value',
  ),
  authentication([CODE], 'components missing_otp_button'),
  authentication(
    [
      { ...CODE, text: 'Your code' },
      { type: 'BUTTONS', buttons: [OTP] },
    ],
    'components[0].text placeholder_required',
  ),
  authentication(
    [CODE, { type: 'BUTTONS', buttons: [OTP, { type: 'URL', text: 'x', url: 'https://x' }] }],
    'components[1].buttons[1].type not_allowed_value',
    'components[1].buttons[1] too_many_items',
  ),
  cards([], 'components[1].cards too_few_items'),
  cards(times(11, CARD), 'components[1].cards too_many_items'),
  card({ buttons: times(3, { type: 'QUICK_REPLY', text: 'x' }) }, 'buttons too_many_items'),
  card({ header: { type: 'IMAGE', image_url: 'ftp://x' } }, 'header.image_url invalid_format'),
  card({ header: undefined }, 'header required'),
  card({ header: { type: 'GIF' } }, 'header.type not_allowed_value', 'header.image_url required'),
  card({ body: undefined, footer: 7 }, 'body required', 'footer invalid_type'),
  card({ buttons: [{ type: 'URL', text: 'x' }] }, 'buttons[0].url required'),
  ...[0, 91].map(
    (value): Row => [
      `a code_expiration_minutes of ${value}`,
      {
        category: 'AUTHENTICATION',
        components: [CODE, { type: 'BUTTONS', buttons: [OTP] }],
        code_expiration_minutes: value,
      },
      ['code_expiration_minutes out_of_range'],
    ],
  ),
  ...field('code_expiration_minutes', [1.5, '10'], 'invalid_type'),
  ...field('code_expiration_minutes', [10], 'not_allowed_value'),
  ...field('allow_category_change', ['true', 1], 'invalid_type'),
  [
    'many faults together',
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
    ],
  ],
];

test.each(rows)('%s is refused', async (_, fields, broken) => {
  const before = await countTemplates();
  expectFailure(await create({ ...good(), ...fields }), 400, 'invalid_request', broken);
  expect(await countTemplates()).toBe(before);
});

test('a chat account that does not exist is refused', async () => {
  expectFailure(await create({ ...good(), chatAccountId: 1 }), 404, 'chat_account_not_found');
});

test.each([
  ['cursor=x', 'cursor invalid_format'],
  [`cursor=${'A'.repeat(38)}`, 'cursor invalid_format'],
  ['name=name;drop%20table', 'name invalid_format'],
  ['status=x', 'status not_allowed_value'],
  ['status=Approved&status=Paused', 'status not_allowed_value'],
  ['chatAccountId=x', 'chatAccountId invalid_type'],
  ['limit=201', 'limit out_of_range'],
])('a list with %s is refused', async (query, broken) => {
  expectFailure(
    await t.call({ method: 'GET', path: `/v1/chatapp/chatTemplateList?${query}` }),
    400,
    'invalid_request',
    [broken],
  );
});

test('an object as a filter is refused', async () => {
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
  ['reviewChatTemplate', { id: 'x', decision: 'APPROVED' }, ['decision not_allowed_value']],
  ['reviewChatTemplate', { id: 'x', decision: 'approve', reason: ' ' }, ['reason blank']],
])('%s with %j is refused', async (operation, body, broken) => {
  expectFailure(await t.call({ path: `/v1/chatapp/${operation}`, body }), 400, 'invalid_request', broken);
});
