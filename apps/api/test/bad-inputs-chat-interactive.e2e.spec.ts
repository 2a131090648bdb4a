import { expect, test } from '@jest/globals';
import { type BadInput, startSharedApi } from './api-under-test.ts';
import { NUMBERS, button, buttons, interactive, list, row, rows } from './chat-bodies.ts';
import { MESSAGES, broken, expectMessageRefused } from './chatapp-under-test.ts';

const BUTTONS = 'interactive.action.buttons';
const SECTIONS = 'interactive.action.sections';

const t = await startSharedApi({ env: { RATE_LIMIT_PER_MINUTE: '1000000' } });

const cases: BadInput[] = [
  broken('no interactive', { ...NUMBERS, type: 'interactive' }, {}, 'interactive required'),
  broken(
    'a text as interactive',
    { ...NUMBERS, type: 'interactive', interactive: 'button' },
    {},
    'interactive invalid_type',
  ),
  broken(
    'no type of it',
    { ...NUMBERS, type: 'interactive', interactive: { body: { text: 'x' } } },
    {},
    'interactive.type required',
  ),
  broken('an unknown type of it', interactive('product', {}), {}, 'interactive.type not_allowed_value'),
  broken('a type of every object', interactive('constructor', {}), {}, 'interactive.type not_allowed_value'),
  broken('no body', buttons([button('a', 'A')], { body: undefined }), {}, 'interactive.body required'),
  broken(
    'an empty body',
    buttons([button('a', 'A')], { body: { text: '' } }),
    {},
    'interactive.body.text blank',
  ),
  broken(
    'a body of 1,025 characters',
    buttons([button('a', 'A')], { body: { text: 'x'.repeat(1_025) } }),
    {},
    'interactive.body.text max_length',
  ),
  broken(
    'a footer of 61 characters',
    buttons([button('a', 'A')], { footer: { text: 'x'.repeat(61) } }),
    {},
    'interactive.footer.text max_length',
  ),
  broken(
    'a text as a footer',
    buttons([button('a', 'A')], { footer: 'x' }),
    {},
    'interactive.footer invalid_type',
  ),
  broken('no action', interactive('button', undefined), {}, 'interactive.action required'),
  broken('null as an action', interactive('list', null), {}, 'interactive.action null_not_allowed'),
  broken('no buttons', buttons([]), {}, `${BUTTONS} too_few_items`),
  broken('buttons that are missing', buttons(undefined), {}, `${BUTTONS} required`),
  broken(
    '4 buttons',
    buttons(['a', 'b', 'c', 'd'].map((id) => button(id, id))),
    {},
    `${BUTTONS} too_many_items`,
  ),
  broken(
    'null among the buttons',
    buttons([null, 'a']),
    {},
    `${BUTTONS}[0] null_not_allowed`,
    `${BUTTONS}[1] invalid_type`,
  ),
  broken(
    'a link as a button',
    buttons([button('a', 'A', { type: 'url' })]),
    {},
    `${BUTTONS}[0].type not_allowed_value`,
  ),
  broken('no reply', buttons([{ type: 'reply' }]), {}, `${BUTTONS}[0].reply required`),
  broken('an empty title', buttons([button('a', '')]), {}, `${BUTTONS}[0].reply.title blank`),
  broken(
    'a title of 21 characters',
    buttons([button('a', 'x'.repeat(21))]),
    {},
    `${BUTTONS}[0].reply.title max_length`,
  ),
  broken(
    'two equal ids',
    buttons([button('a', 'A'), button('a', 'B')]),
    {},
    `${BUTTONS}[1].reply.id duplicate_item`,
  ),
  broken(
    'two equal titles',
    buttons([button('a', 'A'), button('b', 'A')]),
    {},
    `${BUTTONS}[1].reply.title duplicate_item`,
  ),
  ...[' a', 'a ', '\na'].map((id) =>
    broken(
      `the id ${JSON.stringify(id)}`,
      buttons([button(id, 'A')]),
      {},
      `${BUTTONS}[0].reply.id invalid_format`,
    ),
  ),
  broken('an empty id', buttons([button('', 'A')]), {}, `${BUTTONS}[0].reply.id blank`),
  broken(
    'an id of 257 characters',
    buttons([button('x'.repeat(257), 'A')]),
    {},
    `${BUTTONS}[0].reply.id max_length`,
  ),
  broken(
    'no word on the button of a list',
    list([{ rows: rows(1) }], { button: undefined }),
    {},
    'interactive.action.button required',
  ),
  broken(
    '21 characters on it',
    list([{ rows: rows(1) }], { button: 'x'.repeat(21) }),
    {},
    'interactive.action.button max_length',
  ),
  broken('no sections', list([]), {}, `${SECTIONS} too_few_items`),
  broken(
    '11 sections',
    list(rows(11).map((_, i) => ({ title: `s${i}`, rows: [row(`r${i}`)] }))),
    {},
    `${SECTIONS} too_many_items`,
  ),
  broken('an object as the sections', list({ rows: rows(1) }), {}, `${SECTIONS} invalid_type`),
  broken('no rows', list([{ rows: [] }]), {}, `${SECTIONS}[0].rows too_few_items`),
  broken('rows that are missing', list([{ title: 'A' }]), {}, `${SECTIONS}[0].rows required`),
  broken(
    'a section title of 25 characters',
    list([{ title: 'x'.repeat(25), rows: rows(1) }]),
    {},
    `${SECTIONS}[0].title max_length`,
  ),
  broken(
    'a row title of 25 characters',
    list([{ rows: [row('a', 'x'.repeat(25))] }]),
    {},
    `${SECTIONS}[0].rows[0].title max_length`,
  ),
  broken(
    'a description of 73 characters',
    list([{ rows: [row('a', 'A', { description: 'x'.repeat(73) })] }]),
    {},
    `${SECTIONS}[0].rows[0].description max_length`,
  ),
  broken('no id', list([{ rows: [row(undefined)] }]), {}, `${SECTIONS}[0].rows[0].id required`),
  broken(
    'a deep fault',
    list([{ title: 'A', rows: [row('a'), row('b'), row('c', 5)] }]),
    {},
    `${SECTIONS}[0].rows[2].title invalid_type`,
  ),
  broken(
    'equal ids in two sections',
    list(['A', 'B'].map((title) => ({ title, rows: [row('a')] }))),
    {},
    `${SECTIONS}[1].rows[0].id duplicate_item`,
  ),
  broken('11 rows in one section', list([{ rows: rows(11) }]), {}, `${SECTIONS}[0].rows too_many_items`),
  broken(
    '11 rows in all',
    list([
      { title: 'A', rows: rows(6) },
      { title: 'B', rows: rows(5, 6) },
    ]),
    {},
    `${SECTIONS} too_many_items`,
  ),
  broken(
    'several sections of which one has no title',
    list([{ title: 'A', rows: rows(1) }, { rows: rows(1, 1) }]),
    {},
    `${SECTIONS}[1].title required`,
  ),
  broken('no name', interactive('location_request_message', {}), {}, 'interactive.action.name required'),
  broken(
    'an empty name',
    interactive('location_request_message', { name: '' }),
    {},
    'interactive.action.name blank',
  ),
  broken(
    'a number as a name',
    interactive('location_request_message', { name: 1 }),
    {},
    'interactive.action.name invalid_type',
  ),
  broken(
    'much at once',
    { ...list([{ rows: [row(' ')] }], { button: '' }), to: 'x', campaignName: 1 },
    {},
    'to invalid_format',
    'interactive.action.button blank',
    `${SECTIONS}[0].rows[0].id blank`,
    'campaignName invalid_type',
  ),
];

test.each(cases)('%s is refused and stores nothing', async (_name, ...given) => {
  await expectMessageRefused(t, ...given);
});

test.each([
  ['a body of 1,024 emoji', buttons([button('a', 'A')], { body: { text: '😀'.repeat(1_024) } })],
  [
    'three buttons with 20 characters each',
    buttons(['a', 'b', 'c'].map((id) => button(id.repeat(256), id.repeat(20)))),
  ],
  ['a list with a single section, without a title', list([{ rows: rows(10) }])],
  ['a list of ten sections', list(rows(10).map((each, i) => ({ title: `Section ${i}`, rows: [each] })))],
  [
    'rows with the longest texts',
    list([{ rows: [row('x'.repeat(256), 'x'.repeat(24), { description: '😀'.repeat(72) })] }]),
  ],
])('%s is accepted', async (_name, body) => {
  const answer = await t.call({ path: MESSAGES, body });
  expect([answer.status, answer.body.error]).toEqual([200, null]);
});
