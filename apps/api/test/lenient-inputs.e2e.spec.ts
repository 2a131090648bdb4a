import { expect, test } from '@jest/globals';
import { type Call, GOOD_SMS, expectFailure, startSharedApi } from './api-under-test.ts';
import { BODY, findChatAccount } from './templates-under-test.ts';

const t = await startSharedApi();

const sms = (fields: object, more: Partial<Call> = {}) =>
  t.call({ body: { ...GOOD_SMS, ...fields }, ...more });

test('a list in a string may have spaces around its commas, and one at its end', async () => {
  const sent = await sms({ to: ' 919800000001 ,919800000002, 919800000003,' });
  const languages = await t.call({
    path: '/v1/chatapp/createChatTemplate',
    body: {
      name: 'spaced',
      category: 'UTILITY',
      chatAccountId: await findChatAccount(t),
      components: [BODY],
      language: 'en, hi,',
    },
  });

  expect([sent.status, sent.body.totalCount, languages.body.totalCount]).toEqual([200, 3, 2]);
  expectFailure(await sms({ to: '919800000001,,919800000002' }), 400, 'invalid_request', [
    'to[1] invalid_format',
  ]);
});

test('a number in another notation is refused with the digits that were meant', async () => {
  const refused = await sms({ to: ['+91 98123-45678', '12'] });

  expect(refused.body.error.details.map((each) => (each as { message?: string }).message)).toEqual([
    'must be a phone number of 7 to 15 digits with its country code, as 919812345678',
    'must be a phone number of 7 to 15 digits with its country code',
  ]);
});

test('dryRun in the body of a send is refused', async () => {
  expectFailure(await sms({ dryRun: true }), 400, 'invalid_request', ['dryRun not_applicable']);
});

test('{{shortUrl}} without addresses is refused', async () => {
  expectFailure(await sms({ text: 'See {{shortUrl}}' }), 400, 'invalid_request', ['shortenUrlData required']);
  expectFailure(await sms({ text: 'See {{shortUrl1}}' }), 400, 'invalid_request', [
    'shortenUrlData required',
  ]);
});

test('a body declared as US-ASCII is read', async () => {
  const headers = { 'content-type': 'application/json; charset=us-ascii' };

  expect((await sms({}, { headers })).status).toBe(200);
});

test.each([
  ['/v1/webhooks', { name: 'unchanged', endPoint: 'http://127.0.0.1:8080/' }],
  ['/v1/sms/templates', { name: 'unchanged', text: 'Hello' }],
  ['/v1/chat-accounts', { name: 'unchanged' }],
  ['/v1/verify/configs', { name: 'unchanged', sender: 'SIGNALBX' }],
])('a change of %s that names nothing known moves no time', async (path, body) => {
  const { id } = (await t.call<{ id: string }>({ path, body })).body.data;
  const before = await t.call({ method: 'GET', path: `${path}/${id}` });

  const changed = await t.call({ method: 'PATCH', path: `${path}/${id}`, body: { nmae: 'x' } });

  expect([changed.status, changed.body.data]).toEqual([200, before.body.data]);
});

test('an optional field that is null counts as absent, and an item of a list does not', async () => {
  const nothing = {
    campaignName: null,
    clientRef: null,
    sendAt: null,
    unicode: null,
    flash: null,
    templateId: null,
  };

  const sent = await sms({ ...nothing, custom: null, shortenUrlData: null, ratePerSecond: null });

  expect([sent.status, sent.headers['ignored-fields']]).toEqual([200, undefined]);
  expectFailure(await sms({ to: [GOOD_SMS.to, null] }), 400, 'invalid_request', ['to[1] null_not_allowed']);
  expectFailure(await sms({ type: null }), 400, 'invalid_request', ['type null_not_allowed']);
  const page = await t.call({ path: '/v1/messages', body: { limit: null, status: null } });
  expect(page.status).toBe(200);
});

test('enumerated words are read in any case', async () => {
  const template = {
    name: 'any_case',
    category: 'utility',
    chatAccountId: await findChatAccount(t),
    components: [
      { type: 'header', format: 'text', text: 'Hello' },
      { ...BODY, type: 'Body' },
    ],
  };

  const created = await t.call<{ components: { type: string; format?: string }[] }[]>({
    path: '/v1/chatapp/createChatTemplate',
    body: template,
  });

  expect((await sms({ type: 'trans' })).status).toBe(200);
  expect(created.body.data[0]!.components).toMatchObject([
    { type: 'HEADER', format: 'TEXT' },
    { type: 'BODY' },
  ]);
});
