import { expect, test } from '@jest/globals';
import { type Call, GOOD_SMS, startSharedApi } from './api-under-test.ts';
import { signIn } from './users-under-test.ts';

const t = await startSharedApi();

const WEBHOOK = { name: 'Audited', endPoint: 'https://198.41.0.4/reports' };
const CONFIG = { name: 'Codes', sender: 'SIGNALBX', text: 'Your code is {{code}}.' };
const TEMPLATE = {
  name: 'welcome',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Your order has been shipped.' }],
};
/** The tables that the calls below change. */
const TABLES = [
  'webhook',
  'opt_out',
  'verification_config',
  'verification_policy',
  'sms_template',
  'chat_account',
  'template',
  'submission',
  'gateway',
  'account',
  'api_key',
  'user_session',
];

/** An admin of an account with one resource of each kind, and the paths of these. */
async function openAccount() {
  const admin = await signIn(t, 'admin', 'Audited changes');
  const create = async (path: string, body: object): Promise<string> => {
    const { id, data } = (await admin.call<{ id: string }>({ path, body })).body as unknown as {
      id: string;
      data: { id: string } | { id: string }[] | null;
    };
    return [data].flat()[0]?.id ?? id;
  };
  const webhookId = await create('/v1/webhooks', WEBHOOK);
  const optOutId = await create('/v1/opt-outs', { recipients: ['919800000123'] });
  const configId = await create('/v1/verify/configs', CONFIG);
  const smsTemplateId = await create('/v1/sms/templates', { name: 'Plain', text: 'Hello' });
  const chatAccountId = await create('/v1/chat-accounts', { name: 'Shop' });
  const templateId = await create('/v1/chatapp/createChatTemplate', { ...TEMPLATE, chatAccountId });
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const sendId = await create('/v1/sms', { ...GOOD_SMS, sendAt });
  const keyId = await create('/v1/api-keys', { name: 'Sends', scopes: ['send'] });
  const operator = await t.addKey('Audited changes', ['ops']);
  const gateway = { name: 'audited', channel: 'sms', kind: 'simulator' };
  await t.call({ path: '/v1/gateways', body: gateway, headers: { apikey: operator } });
  const { accountId } = (await admin.call<{ accountId: string }>({ method: 'GET', path: '/v1/me' })).body
    .data;
  return {
    accountId,
    webhookId,
    optOutId,
    configId,
    smsTemplateId,
    chatAccountId,
    templateId,
    sendId,
    keyId,
    call: (given: Call) => admin.call(given),
    operate: (given: Call) => t.call({ ...given, headers: { apikey: operator } }),
  };
}

/** Calls that each change something, with their operation ids. */
function changesOf(a: Awaited<ReturnType<typeof openAccount>>) {
  const changes: [Call, string][] = [
    [{ method: 'PATCH', path: `/v1/webhooks/${a.webhookId}`, body: { name: 'Renamed' } }, 'changeWebhook'],
    [{ path: `/v1/webhooks/${a.webhookId}/disable` }, 'disableWebhook'],
    [{ path: `/v1/webhooks/${a.webhookId}/enable` }, 'enableWebhook'],
    [{ path: `/v1/webhooks/${a.webhookId}/rotate-secret` }, 'rotateWebhookSecret'],
    [{ method: 'DELETE', path: `/v1/webhooks/${a.webhookId}` }, 'deleteWebhook'],
    [{ method: 'DELETE', path: `/v1/opt-outs/${a.optOutId}` }, 'deleteOptOut'],
    [
      { method: 'PATCH', path: `/v1/verify/configs/${a.configId}`, body: { codeLength: 8 } },
      'changeVerifyConfig',
    ],
    [{ method: 'DELETE', path: `/v1/verify/configs/${a.configId}` }, 'deleteVerifyConfig'],
    [{ method: 'PATCH', path: '/v1/verify/policy', body: { minSends: 77 } }, 'changeVerifyPolicy'],
    [
      { method: 'PATCH', path: `/v1/sms/templates/${a.smsTemplateId}`, body: { text: 'Bye' } },
      'changeSmsTemplate',
    ],
    [{ method: 'DELETE', path: `/v1/sms/templates/${a.smsTemplateId}` }, 'deleteSmsTemplate'],
    [
      { path: '/v1/chatapp/reviewChatTemplate', body: { id: a.templateId, decision: 'approve' } },
      'reviewChatTemplate',
    ],
    [{ path: '/v1/chatapp/deleteChatTemplate', body: { id: a.templateId } }, 'deleteChatTemplate'],
    [
      { method: 'PATCH', path: `/v1/chat-accounts/${a.chatAccountId}`, body: { name: 'Sold' } },
      'changeChatAccount',
    ],
    [{ method: 'DELETE', path: `/v1/chat-accounts/${a.chatAccountId}` }, 'deleteChatAccount'],
    [{ path: `/v1/sends/${a.sendId}/cancel` }, 'cancelSend'],
    [{ method: 'PATCH', path: `/v1/api-keys/${a.keyId}`, body: { name: 'Sent' } }, 'changeApiKey'],
    [{ method: 'DELETE', path: `/v1/api-keys/${a.keyId}` }, 'revokeApiKey'],
    [{ method: 'DELETE', path: '/v1/session' }, 'endSession'],
  ];
  const operations: [Call, string][] = [
    [{ method: 'PATCH', path: '/v1/gateways/audited', body: { ratePerSecond: 7 } }, 'changeGateway'],
    [{ path: '/v1/gateways/audited/pause' }, 'pauseGateway'],
    [{ method: 'DELETE', path: '/v1/gateways/audited' }, 'deleteGateway'],
    [{ path: `/v1/lanes/${a.accountId}/pause` }, 'pauseAccount'],
    [{ method: 'PATCH', path: `/v1/accounts/${a.accountId}`, body: { smsPerSecond: 9 } }, 'changeAccount'],
  ];
  return [
    ...operations.map((each) => [...each, a.operate] as const),
    ...changes.map((each) => [...each, a.call] as const),
  ];
}

test('no change is stored without its row, and each is with it', async () => {
  const a = await openAccount();
  const all = changesOf(a);
  const actions = all.map(([, action]) => action);
  const kept: string[] = [];
  const lost: string[] = [];

  const refuse = `ALTER TABLE audit_event ADD CONSTRAINT none CHECK (account_id <> '${a.accountId}') NOT VALID`;
  for (const [given, action, call] of all) {
    await t.db.query(refuse);
    const before = await contents();
    const refused = await call(given);
    if (refused.status < 400 || (await contents()) !== before) lost.push(action);
    await t.db.query('ALTER TABLE audit_event DROP CONSTRAINT none');
    const { status } = await call(given);
    if (status < 300 && (await contents()) !== before) kept.push(action);
  }

  expect(lost).toEqual([]);
  expect(kept).toEqual(actions);
  const rows: { action: string; target: string }[] = await t.db.query(
    'SELECT action, target FROM audit_event WHERE account_id = $1 ORDER BY id DESC LIMIT $2',
    [a.accountId, actions.length],
  );
  expect(rows.toReversed().map(({ action }) => action)).toEqual(actions);
  const targets = new Map(rows.map(({ action, target }) => [action, target]));
  expect(targets.get('deleteWebhook')).toBe(a.webhookId);
  expect(targets.get('deleteChatTemplate')).toBe(a.templateId);
});

/** Rows of the tables as text; the last use of a session and of a key is no change. */
async function contents(): Promise<string> {
  const tables = await Promise.all(
    TABLES.map((table) =>
      t.db.query(
        `SELECT to_jsonb(x) - '{used_at,last_used_at}'::text[] AS row FROM ${table} AS x ORDER BY x::text`,
      ),
    ),
  );
  return JSON.stringify(tables);
}
