import { expect, test } from '@jest/globals';
import { expectFailure, startSharedApi } from './api-under-test.ts';
import { BODY, OTHER, findChatAccount, templateCalls } from './templates-under-test.ts';

const t = await startSharedApi();
const chatAccountId = await findChatAccount(t);

const { post, read, decide, createApproved } = templateCalls({ t, chatAccountId });

/** Backdates the last edit, and sets the number of edits in its month. */
const editedDaysAgo = (id: string, days: number, edits = 1): Promise<unknown> =>
  t.db.query(
    `UPDATE template SET edited_on = (now() AT TIME ZONE 'UTC')::date - $2::integer, month_edits = $3 WHERE id = $1`,
    [id, days, edits],
  );
const approvedVersion = async (id: string): Promise<number | null> =>
  (await t.db.query(`SELECT approved_version AS v FROM template WHERE id = $1`, [id]))[0].v as number | null;

const CODE_COMPONENTS = [
  { type: 'BODY', text: '{{1}} is your code.', example: { body_text: [['123456']] } },
  { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
];

test('an edited template is reviewed again while its approved version stays sendable', async () => {
  const id = await createApproved('edited');

  const edited = await post('editChatTemplate', { id, components: [OTHER], category: 'marketing' });

  expect([edited.status, edited.body.data]).toMatchObject([
    200,
    {
      status: 'Pending',
      components: [OTHER],
      category: 'MARKETING',
      editsLeftToday: 0,
      editsLeftThisMonth: 9,
    },
  ]);
  expect(await approvedVersion(id)).toBe(1);
  expectFailure(await post('editChatTemplate', { id, components: [BODY] }), 409, 'template_not_editable');
  await decide(id, 'approve');
  expect(await approvedVersion(id)).toBe(2);
  const history = await read<{ event: string; version: number; components: object[] }[]>(
    'chatTemplateHistory',
    `id=${id}`,
  );
  expect(history.body.data.map(({ event, version, components }) => [event, version, components])).toEqual([
    ['approved', 2, [OTHER]],
    ['edited', 2, [OTHER]],
    ['approved', 1, [BODY]],
    ['created', 1, [BODY]],
  ]);
});

test('a rejected edit and the edit of a paused template end the approval', async () => {
  const [rejected, paused] = [await createApproved('rejected_edit'), await createApproved('paused_edit')];
  await post('editChatTemplate', { id: rejected, components: [OTHER] });
  await decide(rejected, 'reject', 'no');
  expect(await approvedVersion(rejected)).toBeNull();

  await decide(paused, 'pause');
  expect((await post('editChatTemplate', { id: paused, components: [OTHER] })).body.data).toMatchObject({
    status: 'Pending',
  });
  expect(await approvedVersion(paused)).toBeNull();
});

test('a template is edited once per UTC day, ten times per UTC month, and never while Pending', async () => {
  const id = await createApproved('often');
  await post('editChatTemplate', { id, components: [OTHER] });
  await decide(id, 'approve');
  const sameDay = await post('editChatTemplate', { id, components: [BODY] });
  expectFailure(sameDay, 429, 'template_edit_limit');
  const toMidnight = Number(sameDay.headers['retry-after']);
  expect(toMidnight).toBeLessThanOrEqual(86_400);

  await editedDaysAgo(id, 0, 10);
  const sameMonth = await post('editChatTemplate', { id, components: [BODY] });
  expectFailure(sameMonth, 429, 'template_edit_limit');
  expect(Number(sameMonth.headers['retry-after'])).toBeGreaterThanOrEqual(toMidnight - 60);
  expect((await read('getChatTemplate', `id=${id}`)).body.data).toMatchObject({
    editsLeftToday: 0,
    editsLeftThisMonth: 0,
  });

  await editedDaysAgo(id, 31, 10);
  expect((await post('editChatTemplate', { id, components: [BODY] })).body.data).toMatchObject({
    status: 'Pending',
    editsLeftThisMonth: 9,
  });
});

test('one of a hundred concurrent edits succeeds', async () => {
  const id = await createApproved('raced');

  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      post('editChatTemplate', { id, components: [{ type: 'BODY', text: `Edit number ${i}` }] }),
    ),
  );

  const good = answers.filter(({ status }) => status === 200);
  expect(good).toHaveLength(1);
  for (const answer of answers) expect([200, 409, 429]).toContain(answer.status);
  expect((await read('getChatTemplate', `id=${id}`)).body.data).toEqual(good[0]!.body.data);
  const [{ versions }] = await t.db.query(
    `SELECT count(*)::integer AS versions FROM template_version WHERE template_id = $1`,
    [id],
  );
  expect(versions).toBe(2);
});

test('an edit must change something and leave a valid template', async () => {
  const id = await createApproved('kept_whole');
  expectFailure(await post('editChatTemplate', { id, category: 'AUTHENTICATION' }), 400, 'invalid_request', [
    'components[0].text placeholder_required',
    'components missing_otp_button',
  ]);
  expectFailure(await post('editChatTemplate', { id, code_expiration_minutes: 5 }), 400, 'invalid_request', [
    'code_expiration_minutes not_allowed_value',
  ]);
  expectFailure(await post('editChatTemplate', { id }), 400, 'invalid_request', ['body too_few_items']);
  expectFailure(
    await post('editChatTemplate', { id, components: [{ type: 'FOOTER' }] }),
    400,
    'invalid_request',
    ['components[0].text required'],
  );
  expect((await read('getChatTemplate', `id=${id}`)).body.data).toMatchObject({
    status: 'Approved',
    editsLeftToday: 1,
  });
});

test('an edit takes back both options', async () => {
  const id = await createApproved('options', {
    category: 'AUTHENTICATION',
    components: CODE_COMPONENTS,
    allow_category_change: true,
    code_expiration_minutes: 5,
  });

  const edited = await post('editChatTemplate', {
    id,
    allow_category_change: false,
    code_expiration_minutes: null,
  });

  expect(edited.status).toBe(200);
  expect(edited.body.data).not.toHaveProperty('allow_category_change');
  expect(edited.body.data).not.toHaveProperty('code_expiration_minutes');
});

test('a template of codes becomes another one when its minutes are removed with it', async () => {
  const id = await createApproved('no_code', {
    category: 'AUTHENTICATION',
    components: CODE_COMPONENTS,
    code_expiration_minutes: 5,
  });
  const change = { id, category: 'UTILITY', components: [OTHER] };
  expectFailure(await post('editChatTemplate', change), 400, 'invalid_request', [
    'code_expiration_minutes not_allowed_value',
  ]);

  const edited = await post('editChatTemplate', { ...change, code_expiration_minutes: null });

  expect([edited.status, edited.body.data]).toMatchObject([200, { category: 'UTILITY' }]);
});
