import { expect, test } from '@jest/globals';
import { expectFailure, sameForAll, startSharedApi } from './api-under-test.ts';
import { BODY, OTHER, type View, findChatAccount, templateCalls } from './templates-under-test.ts';

const t = await startSharedApi();
const chatAccountId = await findChatAccount(t);

const { post, read, template, decide, create, createApproved } = templateCalls({ t, chatAccountId });

test('a new template is returned as it is found later', async () => {
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

test('several languages create several templates, all or none', async () => {
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

test('a name is unique within a chat account and language, which is English by default', async () => {
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

test('unknown fields are named and not stored', async () => {
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

test('a repeat with the same idempotency key creates nothing', async () => {
  const call = {
    path: '/v1/chatapp/createChatTemplate',
    body: template('keyed'),
    headers: { 'idempotency-key': 'template 1' },
  };
  const [first, again] = [await t.call(call), await t.call(call)];
  expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([200, first.body, 'true']);
  expectFailure(await t.call({ ...call, body: template('keyed_2') }), 422, 'idempotency_key_reused');
});

test('the list is filtered and paged, by GET and POST alike', async () => {
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

test('each decision applies to one status only', async () => {
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

  const history = await read<{ event: string; reason: string | null; actorName: string | null }[]>(
    'chatTemplateHistory',
    `id=${id}&limit=3`,
  );
  expect(history.body.data.map(({ actorName }) => actorName)).toEqual(Array(3).fill('first key'));
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

test('a deleted template is absent, and its name is available', async () => {
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

test('deleting a chat account deletes its templates', async () => {
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

test('templates of another tenant look like absent ones', async () => {
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

test('templates require the scope templates, reviews the scope manage', async () => {
  const id = await create('scoped');
  const [writer, manager] = [await t.addKey('Demo', ['templates']), await t.addKey('Demo', ['manage'])];
  expectFailure(await post('reviewChatTemplate', { id, decision: 'approve' }, writer), 403, 'scope_missing');
  expectFailure(await post('createChatTemplate', template('x'), manager), 403, 'scope_missing');
  expect((await post('reviewChatTemplate', { id, decision: 'approve' }, manager)).status).toBe(200);
});
