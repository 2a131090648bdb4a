import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Answer, type ApiUnderTest, expectFailure, sameForAll, startApi } from './api-under-test.ts';

interface View {
  id: string;
  name: string;
  language: string;
  status: string;
  category: string;
  components: object[];
  rejectionReason: string | null;
  editsLeftToday: number;
  editsLeftThisMonth: number;
}

const BODY = { type: 'BODY', text: 'Your order has left our house.' };
const OTHER = { type: 'BODY', text: 'Your order is on its way.' };

let t: ApiUnderTest;
let chatAccountId: number;

beforeAll(async () => {
  t = await startApi();
  chatAccountId = (await t.call<{ id: number }[]>({ method: 'GET', path: '/v1/chat-accounts' })).body.data[0]!
    .id;
});
afterAll(async () => t[Symbol.asyncDispose]());

const post = <D = View>(operation: string, body: object, apikey = t.p.apiKey): Promise<Answer<D>> =>
  t.call({ path: `/v1/chatapp/${operation}`, body, headers: { apikey } });
const read = <D = View>(operation: string, query: string, apikey = t.p.apiKey): Promise<Answer<D>> =>
  t.call({ method: 'GET', path: `/v1/chatapp/${operation}?${query}`, headers: { apikey } });
const template = (name: string, more: object = {}): object => ({
  name,
  category: 'UTILITY',
  chatAccountId,
  components: [BODY],
  ...more,
});
const decide = (id: string, decision: string, reason?: string): Promise<Answer<View>> =>
  post('reviewChatTemplate', { id, decision, ...(reason && { reason }) });

async function create(name: string, more: object = {}): Promise<string> {
  const created = await post<View[]>('createChatTemplate', template(name, more));
  expect(created.status).toBe(200);
  return created.body.id;
}

async function createApproved(name: string): Promise<string> {
  const id = await create(name);
  expect((await decide(id, 'approve')).status).toBe(200);
  return id;
}

/** As if the last edit had been so many days ago, and so many had been made in its month. */
const editedDaysAgo = (id: string, days: number, edits = 1): Promise<unknown> =>
  t.db.query(
    `UPDATE template SET edited_on = (now() AT TIME ZONE 'UTC')::date - $2::integer, month_edits = $3 WHERE id = $1`,
    [id, days, edits],
  );
const approvedVersion = async (id: string): Promise<number | null> =>
  (await t.db.query(`SELECT approved_version AS v FROM template WHERE id = $1`, [id]))[0].v as number | null;

test('a template is created with its fields, and answered as it will be found', async () => {
  const given = {
    category: 'utility',
    language: 'hi_IN',
    chatAccountId: String(chatAccountId),
    allow_category_change: true,
  };

  const created = await post<View[]>('createChatTemplate', template('whole', given));

  const [view] = created.body.data;
  expect([created.status, created.body]).toEqual([
    200,
    { id: view!.id, data: [view], totalCount: 1, message: 'The template was created.', error: null },
  ]);
  expect(view).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'whole',
    category: 'UTILITY',
    language: 'hi_IN',
    components: [BODY],
    status: 'Pending',
    chatAccountId,
    rejectionReason: null,
    editsLeftToday: 1,
    editsLeftThisMonth: 10,
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
    allow_category_change: true,
  });
  expect((await read('getChatTemplate', `id=${view!.id}`)).body).toEqual({
    data: view,
    message: 'The template was found.',
    error: null,
  });
  expect((await post('getChatTemplate', { id: view!.id })).body.data).toEqual(view);
});

test('several languages make several templates, all or none', async () => {
  const created = await post<View[]>(
    'createChatTemplate',
    template('spoken', { language: 'en_US, hi_IN,en' }),
  );
  expect(created.body).toMatchObject({
    totalCount: 3,
    message: '3 templates were created.',
    id: created.body.data[0]!.id,
  });
  expect(created.body.data.map(({ language }) => language)).toEqual(['en_US', 'hi_IN', 'en']);

  expectFailure(
    await post('createChatTemplate', template('spoken', { language: 'ta,en_US,te' })),
    409,
    'template_exists',
  );
  const listed = await read<View[]>('chatTemplateList', 'name=spoken');
  expect(listed.body.data.map(({ language }) => language).toSorted()).toEqual(['en', 'en_US', 'hi_IN']);
});

test('without a language it is English; a name is used once per chat account and language', async () => {
  await create('named');
  expect((await read<View[]>('chatTemplateList', 'name=named')).body.data[0]).toMatchObject({
    language: 'en',
  });
  expectFailure(
    await post('createChatTemplate', template('named', { language: 'en' })),
    409,
    'template_exists',
  );
  const other = await t.call<{ id: number }>({ path: '/v1/chat-accounts', body: { name: 'another' } });
  await create('named', { chatAccountId: other.body.data.id });
});

test('unknown fields are told of and not kept', async () => {
  const body = { ...BODY, colour: 'red', example: { body_text: [[]], x: 1 } };
  const created = await post<View[]>(
    'createChatTemplate',
    template('unknown_fields', { components: [body], parameter_format: 'x' }),
  );
  expect(created.headers['ignored-fields']).toBe(
    'parameter_format, components[0].colour, components[0].example.x',
  );
  expect(created.body.data[0]!.components).toEqual([{ ...BODY, example: { body_text: [[]] } }]);
});

test('a repeat with the same idempotency key creates nothing anew', async () => {
  const call = {
    path: '/v1/chatapp/createChatTemplate',
    body: template('keyed'),
    headers: { 'idempotency-key': 'template 1' },
  };
  const [first, again] = [await t.call(call), await t.call(call)];
  expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([200, first.body, 'true']);
  expectFailure(await t.call({ ...call, body: template('keyed_2') }), 422, 'idempotency_key_reused');
});

test('the list is filtered by each field, by GET and POST alike, and paged', async () => {
  const apikey = await t.addKey('Lists');
  const account = await t.call<{ id: number }>({
    path: '/v1/chat-accounts',
    body: { name: 'lists' },
    headers: { apikey },
  });
  const own = { chatAccountId: account.body.data.id };
  for (const name of ['a', 'b', 'c']) {
    for (const language of ['en', 'hi'])
      await post('createChatTemplate', template(name, { ...own, language }), apikey);
  }
  await post('createChatTemplate', template('d', { ...own, category: 'MARKETING' }), apikey);
  const names = async (query: string) =>
    (await read<View[]>('chatTemplateList', query, apikey)).body.data.map(
      ({ name, language }) => name + language,
    );

  expect(await names('')).toEqual(['den', 'chi', 'cen', 'bhi', 'ben', 'ahi', 'aen']);
  expect(await names('category=marketing')).toEqual(['den']);
  expect(await names('language=hi&status=Pending')).toEqual(['chi', 'bhi', 'ahi']);
  expect(await names(`name=b&chatAccountId=${account.body.data.id}`)).toEqual(['bhi', 'ben']);
  expect(await names('status=approved')).toEqual([]);
  const byPost = await post<View[]>('chatTemplateList', { language: 'hi', limit: 2 }, apikey);
  expect(byPost.body.data.map(({ name }) => name)).toEqual(['c', 'b']);
  const rest = await read<View[]>(
    'chatTemplateList',
    `language=hi&limit=2&cursor=${byPost.body.nextCursor}`,
    apikey,
  );
  expect([rest.body.data.map(({ name }) => name), rest.body.nextCursor]).toEqual([['a'], null]);
  expectFailure(await read('chatTemplateList', `cursor=${byPost.body.nextCursor}`), 400, 'invalid_request', [
    'cursor invalid_format',
  ]);
});

test('each decision moves a template from one status only', async () => {
  const id = await create('decided');
  expectFailure(await decide(id, 'pause'), 409, 'template_not_approved');
  expectFailure(await decide(id, 'resume'), 409, 'template_not_editable');
  expect((await decide(id, 'approve')).body.data).toMatchObject({ status: 'Approved' });
  expectFailure(await decide(id, 'approve'), 409, 'template_not_editable');
  expectFailure(await decide(id, 'reject', 'too late'), 409, 'template_not_editable');
  expect((await decide(id, 'pause', 'out of season')).body.data).toMatchObject({ status: 'Paused' });
  expectFailure(await decide(id, 'pause'), 409, 'template_not_approved');
  expect((await decide(id, 'resume')).body.data).toMatchObject({ status: 'Approved' });

  const refused = await create('refused');
  expectFailure(await decide(refused, 'reject'), 400, 'invalid_request', ['reason required']);
  expect((await decide(refused, 'reject', 'not like this')).body.data).toMatchObject({
    status: 'Rejected',
    rejectionReason: 'not like this',
  });

  const history = await read<{ event: string; reason: string | null; actor: string }[]>(
    'chatTemplateHistory',
    `id=${id}&limit=3`,
  );
  expect(history.body.data.map(({ event, reason }) => [event, reason])).toEqual([
    ['resumed', null],
    ['paused', 'out of season'],
    ['approved', null],
  ]);
  const first = await post<{ event: string }[]>('chatTemplateHistory', {
    id,
    cursor: history.body.nextCursor,
  });
  expect([first.body.data.map(({ event }) => event), first.body.nextCursor]).toEqual([['created'], null]);
});

test('an edit puts a template under review again, and what was approved is sent until that is decided', async () => {
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

test('a rejected edit takes the approval with it, and so does the edit of a paused template', async () => {
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

test('C064 a template is edited once a day and ten times a month, by UTC, and not while it is under review', async () => {
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

test('of a hundred edits at once, one is made', async () => {
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

test('an edit must leave a whole template, and name something', async () => {
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
    ['components[0].text required', 'components missing_body'],
  );
  expect((await read('getChatTemplate', `id=${id}`)).body.data).toMatchObject({
    status: 'Approved',
    editsLeftToday: 1,
  });
});

test('a deleted template is absent, and its name is free', async () => {
  const id = await createApproved('deleted');

  expect((await post('deleteChatTemplate', { id })).body).toEqual({
    data: { id },
    message: 'The template was deleted.',
    error: null,
  });

  expectFailure(await read('getChatTemplate', `id=${id}`), 404, 'template_not_found');
  expectFailure(await post('deleteChatTemplate', { id }), 404, 'template_not_found');
  await create('deleted');
});

test('templates go with their chat account', async () => {
  const account = await t.call<{ id: number }>({ path: '/v1/chat-accounts', body: { name: 'short-lived' } });
  const id = await create('short_lived', { chatAccountId: account.body.data.id });

  await t.call({ method: 'DELETE', path: `/v1/chat-accounts/${account.body.data.id}` });

  expectFailure(await read('getChatTemplate', `id=${id}`), 404, 'template_not_found');
  expectFailure(
    await post('createChatTemplate', template('x', { chatAccountId: account.body.data.id })),
    404,
    'chat_account_not_found',
  );
});

test('C065, C070 two tenants never see each other', async () => {
  const id = await createApproved('mine');
  const apikey = await t.addKey('Stranger');
  const absent = [crypto.randomUUID(), 'x', '', id.toUpperCase(), '9'.repeat(4000)];

  for (const operation of [
    'getChatTemplate',
    'deleteChatTemplate',
    'editChatTemplate',
    'reviewChatTemplate',
    'chatTemplateHistory',
  ]) {
    const body = { decision: 'pause', components: [OTHER] };
    const foreign = await post(operation, { ...body, id }, apikey);
    expectFailure(foreign, 404, 'template_not_found');
    for (const none of absent)
      expect(sameForAll(await post(operation, { ...body, id: none }, apikey))).toBe(sameForAll(foreign));
  }
  for (const stranger of [chatAccountId, 1, 999_999_999_999_999]) {
    expectFailure(
      await read('chatTemplateList', `chatAccountId=${stranger}`, apikey),
      404,
      'chat_account_not_found',
    );
    expectFailure(
      await post('createChatTemplate', template('theirs', { chatAccountId: stranger }), apikey),
      404,
      'chat_account_not_found',
    );
  }
  expect((await read<View[]>('chatTemplateList', '', apikey)).body.data).toEqual([]);
  expect((await read('getChatTemplate', `id=${id}`)).body.data).toMatchObject({
    status: 'Approved',
    components: [BODY],
  });
});

test('templates need their scope, and a review needs manage', async () => {
  const id = await create('scoped');
  const [writer, manager] = [await t.addKey('Demo', ['templates']), await t.addKey('Demo', ['manage'])];
  expectFailure(await post('reviewChatTemplate', { id, decision: 'approve' }, writer), 403, 'scope_missing');
  expectFailure(await post('createChatTemplate', template('x'), manager), 403, 'scope_missing');
  expect((await post('reviewChatTemplate', { id, decision: 'approve' }, manager)).status).toBe(200);
});
