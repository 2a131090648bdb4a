import { expect, test } from '@jest/globals';
import { expectFailure, startSharedApi } from './api-under-test.ts';
import { BODY, OTHER, type View, findChatAccount, templateCalls } from './templates-under-test.ts';

interface Findings {
  findings: { field: string; rule: string }[];
  decision: string;
  category: string | null;
}

const t = await startSharedApi();
const chatAccountId = await findChatAccount(t);

const { post, read, template, create, createApproved } = templateCalls({ t, chatAccountId });
const tryOut = (operation: string, body: object) => post<Findings>(`${operation}?dryRun=true`, body);
const rows = async (): Promise<number> =>
  (await t.db.query<{ n: number }[]>(`SELECT count(*)::integer AS n FROM template_event`))[0]!.n;

test('a dry run of a creation lists the findings of the linter and stores nothing', async () => {
  const before = await rows();
  const loud = [
    { type: 'BODY', text: 'Your order is here. 20% off the next one!' },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://bit.ly/x' }] },
  ];

  const tried = await tryOut('createChatTemplate', template('tried', { components: loud }));

  expect([tried.status, tried.body]).toEqual([
    200,
    {
      id: null,
      data: {
        findings: [
          { field: 'components[0].text', rule: 'promotion_in_utility', message: expect.any(String) },
          { field: 'components[1].buttons[0].url', rule: 'shortened_url', message: expect.any(String) },
        ],
        decision: 'reject',
        category: null,
      },
      message: 'The template is valid. Nothing was stored.',
      error: null,
    },
  ]);
  expect([await rows(), (await read<View[]>('chatTemplateList', 'name=tried')).body.data]).toEqual([
    before,
    [],
  ]);
});

test('a dry run refuses what the creation would refuse', async () => {
  await create('taken');
  const media = [{ type: 'HEADER', format: 'IMAGE', example: { header_handle: ['none'] } }, BODY];
  expectFailure(await tryOut('createChatTemplate', template('taken')), 409, 'template_exists');
  expectFailure(
    await tryOut('createChatTemplate', template('fresh', { components: media })),
    404,
    'media_not_found',
  );
  expectFailure(
    await tryOut('createChatTemplate', template('fresh', { chatAccountId: 1 })),
    404,
    'chat_account_not_found',
  );
});

test('a dry run of an edit checks the edited template and changes nothing', async () => {
  const id = await createApproved('edit_tried');
  const before = await rows();

  const tried = await tryOut('editChatTemplate', { id, components: [OTHER] });

  expect(tried.body.data).toEqual({ findings: [], decision: 'approve', category: 'UTILITY' });
  expectFailure(
    await tryOut('editChatTemplate', { id, category: 'AUTHENTICATION' }),
    400,
    'invalid_request',
    ['components[0].text placeholder_required', 'components missing_otp_button'],
  );
  expect([await rows(), (await read('getChatTemplate', `id=${id}`)).body.data]).toMatchObject([
    before,
    { status: 'Approved', components: [BODY], editsLeftToday: 1 },
  ]);
});

test('the history names the fields that an edit changed', async () => {
  const id = await createApproved('changed');
  await post('editChatTemplate', { id, components: [OTHER], category: 'marketing' });

  const history = await read<{ event: string; changes: object[] }[]>('chatTemplateHistory', `id=${id}`);

  expect(history.body.data.map(({ event, changes }) => [event, changes])).toEqual([
    [
      'edited',
      [
        { field: 'category', before: 'UTILITY', after: 'MARKETING' },
        { field: 'BODY.text', before: BODY.text, after: OTHER.text },
      ],
    ],
    ['approved', []],
    ['created', []],
  ]);
});
