import { expect, test } from '@jest/globals';
import { pngFile } from '@signalbox/test/media-samples';
import { type Call, GOOD_SMS, startSharedApi } from './api-under-test.ts';
import { endedCallersOf, readTables } from './ended-callers-under-test.ts';
import { BODY, OTHER } from './templates-under-test.ts';

const t = await startSharedApi();
const { expectRefused, withSession } = endedCallersOf(t);

/** Ids of what an account sends with, and of what it sent. */
interface Ids {
  chatAccount: number;
  sender: string;
  template: string;
  config: string;
  smsTemplate: string;
  optOut: string;
  send: string;
  cancellation: string;
}

const CONFIG = { name: 'new', sender: 'ACME', text: '{{code}} is your code.' };
const TEMPLATE = { name: 'new', category: 'UTILITY', components: [BODY] };
const SMS_TEMPLATE = { name: 'new', text: 'Hi {{1}}' };
const FILTER = { filter: { campaignName: 'none' } };

/** Names of the calls that change what an account sends with, or what it sends. */
const CALLS: [string, (ids: Ids) => Call][] = [
  ['creates a chat account', () => ({ path: '/v1/chat-accounts', body: { name: 'new' } })],
  [
    'changes a chat account',
    ({ chatAccount }) => ({ method: 'PATCH', path: `/v1/chat-accounts/${chatAccount}`, body: { name: 'b' } }),
  ],
  [
    'deletes a chat account',
    ({ chatAccount }) => ({ method: 'DELETE', path: `/v1/chat-accounts/${chatAccount}` }),
  ],
  [
    'adds a sender',
    ({ chatAccount }) => ({
      path: `/v1/chat-accounts/${chatAccount}/senders`,
      body: { msisdn: '919800000077' },
    }),
  ],
  [
    'changes a sender',
    ({ chatAccount, sender }) => ({
      method: 'PATCH',
      path: `/v1/chat-accounts/${chatAccount}/senders/${sender}`,
      body: { messagesPerSecond: 7 },
    }),
  ],
  [
    'deletes a sender',
    ({ chatAccount, sender }) => ({
      method: 'DELETE',
      path: `/v1/chat-accounts/${chatAccount}/senders/${sender}`,
    }),
  ],
  [
    'creates a template',
    ({ chatAccount }) => ({
      path: '/v1/chatapp/createChatTemplate',
      body: { ...TEMPLATE, chatAccountId: chatAccount },
    }),
  ],
  [
    'edits a template',
    ({ template }) => ({
      path: '/v1/chatapp/editChatTemplate',
      body: { id: template, components: [OTHER] },
    }),
  ],
  [
    'deletes a template',
    ({ template }) => ({ path: '/v1/chatapp/deleteChatTemplate', body: { id: template } }),
  ],
  [
    'reviews a template',
    ({ template }) => ({
      path: '/v1/chatapp/reviewChatTemplate',
      body: { id: template, decision: 'reject', reason: 'no' },
    }),
  ],
  ['creates a verification configuration', () => ({ path: '/v1/verify/configs', body: CONFIG })],
  [
    'changes a verification configuration',
    ({ config }) => ({ method: 'PATCH', path: `/v1/verify/configs/${config}`, body: { name: 'b' } }),
  ],
  [
    'deletes a verification configuration',
    ({ config }) => ({ method: 'DELETE', path: `/v1/verify/configs/${config}` }),
  ],
  [
    'changes the verification policy',
    () => ({ method: 'PATCH', path: '/v1/verify/policy', body: { fraudGuard: 'off' } }),
  ],
  ['creates an SMS template', () => ({ path: '/v1/sms/templates', body: SMS_TEMPLATE })],
  [
    'changes an SMS template',
    ({ smsTemplate }) => ({ method: 'PATCH', path: `/v1/sms/templates/${smsTemplate}`, body: { name: 'b' } }),
  ],
  [
    'deletes an SMS template',
    ({ smsTemplate }) => ({ method: 'DELETE', path: `/v1/sms/templates/${smsTemplate}` }),
  ],
  ['adds opt-outs', () => ({ path: '/v1/opt-outs', body: { recipients: ['919800000078', '919800000079'] } })],
  ['deletes an opt-out', ({ optOut }) => ({ method: 'DELETE', path: `/v1/opt-outs/${optOut}` })],
  ['cancels a send', ({ send }) => ({ path: `/v1/sends/${send}/cancel` })],
  ['cancels many sends', () => ({ path: '/v1/messages/cancel', body: FILTER })],
  [
    'stops a cancellation',
    ({ cancellation }) => ({ path: `/v1/messages/cancellations/${cancellation}/stop` }),
  ],
];

const stored = (): Promise<unknown> =>
  readTables(t, [
    'chat_account',
    'chat_sender',
    'template_event',
    'verification_config',
    'verification_policy',
    'sms_template',
    'opt_out',
    'submission',
    'message_cancellation',
  ]);

test.each(CALLS)('a call that %s is refused once the session of its caller has ended', async (name, call) => {
  const [caller, ids] = [await withSession(name), await setUp(name)];

  await expectRefused(caller, call(ids), stored);
});

test('an upload is refused once the session of its caller has ended, and leaves nothing behind', async () => {
  const caller = await withSession('Uploads');
  const disposition = 'content-disposition: form-data; name="file"; filename="a.png"';
  const body = Buffer.concat([
    Buffer.from(`--b\r\n${disposition}\r\n\r\n`),
    pngFile(),
    Buffer.from('\r\n--b--\r\n'),
  ]);
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const upload = { path: '/v1/chatapp/generateHeaderHandle', headers, body };

  expect((await caller.call(upload)).status).toBe(200);
  await expectRefused(caller, upload, () => readTables(t, ['media']));
});

/** Creates one of each entity that an account sends with, and a send. */
async function setUp(account: string): Promise<Ids> {
  const headers = { apikey: await t.addKey(account) };
  const create = async <I = string>(path: string, body: object): Promise<I> =>
    (await t.call<{ id: I }>({ path, headers, body })).body.data.id;
  const chatAccount = await create<number>('/v1/chat-accounts', { name: 'old' });
  const sender = newNumber();
  await t.call({ path: `/v1/chat-accounts/${chatAccount}/senders`, headers, body: { msisdn: sender } });
  const body = { ...TEMPLATE, name: 'old', chatAccountId: chatAccount };
  const template = (await t.call({ path: '/v1/chatapp/createChatTemplate', headers, body })).body.id;
  const approval = { id: template, decision: 'approve' };
  await t.call({ path: '/v1/chatapp/reviewChatTemplate', headers, body: approval });
  const optOut = await t.call<{ id: string }[]>({
    path: '/v1/opt-outs',
    headers,
    body: { recipient: newNumber() },
  });
  return {
    chatAccount,
    sender,
    template,
    config: await create('/v1/verify/configs', { ...CONFIG, name: 'old' }),
    smsTemplate: await create('/v1/sms/templates', { ...SMS_TEMPLATE, name: 'old' }),
    optOut: optOut.body.data[0]!.id,
    send: (await t.call({ headers, body: GOOD_SMS })).body.id,
    cancellation: await create('/v1/messages/cancel', FILTER),
  };
}

let numbers = 919_800_001_000;
function newNumber(): string {
  numbers += 1;
  return String(numbers);
}
