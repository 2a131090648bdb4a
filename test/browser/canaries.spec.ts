import { randomUUIDv7 } from 'node:crypto';
import { afterAll, expect } from '@jest/globals';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { createUser } from '@signalbox/database/users/seed';
import { browser, testInBrowser } from '@signalbox/test/browser';
import { OWNER, startSharedDashboard, waitUntilLoaded } from '@signalbox/test/dashboard';
import { type Receiver, startReceiver } from '@signalbox/test/receiver';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Page } from 'playwright-core';

/** Text that runs a script and calls another host where a page takes it for markup. */
const CANARY = '<img src=//canary.example/x onerror=canary=1>';
/** For places with few characters. */
const SHORT = '<i onclick=canary=1>';
const TRAP = 'https://shop.example/?q="><script>canary=1</script>';

const PHONE = '919800000101';
const SENDER = '15550100001';

const receiver = (browser &&
  (await startReceiver((_push, response) =>
    response.writeHead(500, { 'content-type': 'text/html' }).end(CANARY),
  ))) as Receiver;
const t = await startSharedDashboard();

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
});

interface Created {
  id: string | number;
}

const refused: string[] = [];

/** Makes a call; `refused` names it unless it succeeds. @returns the created resource */
async function plant(path: string, body: object, method = 'POST'): Promise<Created> {
  const response = await fetch(`${t.p.apiUrl}${path}`, {
    method,
    headers: { apikey: t.p.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { id: string; data: Created; message: string };
  if (!response.ok) refused.push(`${path}: ${answer.message}`);
  return answer.data?.id === undefined ? answer : answer.data;
}

/** Plants the canary in what people of the account write. @returns paths of the pages that show it */
async function plantByPeople(): Promise<Record<string, string>> {
  const webhook = await plant('/v1/webhooks', {
    name: CANARY,
    endPoint: `${receiver.url}/?x=${encodeURIComponent(SHORT)}`,
  });
  const sms = {
    sender: 'SHOP',
    text: `${CANARY} ${TRAP}`,
    type: 'TRANS',
    campaignName: CANARY,
    clientRef: CANARY,
  };
  const send = await plant('/v1/sms', { ...sms, to: PHONE });
  const smsTemplate = await plant('/v1/sms/templates', { name: CANARY, text: CANARY });
  const config = await plant('/v1/verify/configs', {
    name: CANARY,
    sender: 'SHOP',
    text: `${CANARY} {{code}}`,
  });
  const account = await plant('/v1/chat-accounts', { name: CANARY });
  await plant('/v1/opt-outs', { recipient: '919800000109', source: SHORT, reason: CANARY });
  await plant('/v1/api-keys', { name: CANARY, scopes: ['send'] });
  await plant('/v1/users', { email: 'canary@shop.example', name: CANARY, role: 'viewer' });
  await plant('/v1/gateways', { name: 'canary', channel: 'sms', kind: 'simulator', settings: {} });
  const route = await plant('/v1/routes', { name: 'canary', match: {}, targets: [{ gateway: 'canary' }] });
  return {
    [`/webhooks/${webhook.id}`]: 'canary',
    [`/webhooks/${webhook.id}/edit`]: '',
    '/webhooks': 'canary',
    [`/messages/${send.id}:1`]: 'canary',
    [`/sends/${send.id}`]: 'canary',
    [`/send/${send.id}`]: '',
    [`/messages?campaignName=${encodeURIComponent(CANARY)}`]: '',
    '/messages': '',
    '/sends': 'canary',
    '/sms-templates': 'canary',
    [`/sms-templates/${smsTemplate.id}`]: 'canary',
    '/verification': 'canary',
    [`/verification/configs/${config.id}`]: 'canary',
    '/chat-accounts': 'canary',
    [`/chat-accounts/${account.id}`]: 'canary',
    '/opt-outs': 'canary',
    '/api-keys': 'canary',
    '/users': 'canary',
    '/routes': '',
    [`/routes/${route.id}`]: '',
    '/gateways': '',
    '/gateways/canary': 'canary',
    '/gateways/canary/edit': '',
  };
}

/** Plants the canary in a template, and has it rejected with one. */
async function plantTemplate(): Promise<Record<string, string>> {
  const url = 'https://shop.example/?q=%22%3E%3Cscript%3E';
  const [sender] = await t.query<{ id: string }>(
    'SELECT chat_account_id AS id FROM chat_sender WHERE msisdn = $1',
    [SENDER],
  );
  const template = await plant('/v1/chatapp/createChatTemplate', {
    chatAccountId: Number(sender!.id),
    name: 'canary',
    category: 'MARKETING',
    language: 'en',
    components: [
      { type: 'HEADER', format: 'TEXT', text: SHORT },
      { type: 'BODY', text: `${CANARY} {{1}} ok`, body_params: [SHORT] },
      { type: 'FOOTER', text: CANARY },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: SHORT, url }] },
    ],
  });
  const id = String(template.id);
  await plant('/v1/chatapp/reviewChatTemplate', { id, decision: 'reject', reason: CANARY });
  return {
    '/templates': '',
    [`/templates/${id}`]: 'canary',
    [`/templates/${id}/edit`]: 'canary',
    '/templates/review': '',
  };
}

/** Plants the canary in what a recipient writes, by both channels. */
async function plantByRecipients(): Promise<Record<string, string>> {
  const from = { from: PHONE, to: SENDER };
  await plant('/v1/simulator/inbound', {
    ...from,
    channel: 'chatapp',
    type: 'text',
    text: { body: `${CANARY} ${TRAP}` },
  });
  await plant('/v1/simulator/inbound', { ...from, channel: 'sms', type: 'text', text: { body: CANARY } });
  await waitFor(
    async () => (await t.query(`SELECT 1 FROM inbound_message WHERE sender = '${PHONE}'`)).length === 2,
    { otherwise: 'the inbound messages did not arrive' },
  );
  return {
    '/inbox': 'canary',
    [`/inbox?with=${SENDER}:${PHONE}`]: 'canary',
    [`/phone?number=${PHONE}`]: 'canary',
  };
}

/** Plants the canary in what gateways, endpoints and workers say. */
async function plantUpstream(): Promise<Record<string, string>> {
  await waitFor(
    async () => (await t.query(`SELECT 1 FROM push_attempt WHERE answer LIKE '%canary%'`)).length > 0,
    { otherwise: 'the endpoint was not called' },
  );
  const like = [CANARY];
  await t.query('UPDATE message SET status_description = $1, operator_circle = $1', like);
  await t.query('UPDATE message_event SET description = $1, operator_circle = $1, gateway_code = $1', like);
  await t.query(`UPDATE message_event SET details = jsonb_build_object($1::text, $1::text)`, like);
  await t.query(
    'UPDATE push_attempt SET error = $1, request_headers = jsonb_build_object($1::text, $1::text)',
    like,
  );
  await t.query('UPDATE routing_event SET reason = $1', like);
  await t.query('UPDATE user_session SET user_agent = $1', like);
  await t.query(
    `INSERT INTO gateway_state (gateway_id, worker_id, status, reason, since, detail)
     SELECT id, id, 'down', $1, now(), jsonb_build_object($1::text, $1::text) FROM gateway WHERE name = 'canary'`,
    like,
  );
  await t.query(
    `INSERT INTO orphan_report (id, gateway, kind, gateway_message_id, wake_id, recipient, err_code, gateway_code,
                                description, reported_at)
     VALUES ($2, $1, 'report', $1, $1, $1, $1, $1, $1, now())`,
    [CANARY, randomUUIDv7()],
  );
  const [attempt] = await t.query<{ reportId: string; webhookId: string }>(
    'SELECT report_id AS "reportId", webhook_id AS "webhookId" FROM push_attempt LIMIT 1',
  );
  return {
    [`/deliveries/${deliveryId(attempt!.reportId, attempt!.webhookId)}`]: 'canary',
    '/orphan-reports': 'canary',
    '/profile': '',
    '/endpoints': '',
    '/': '',
  };
}

const OTHER_PAGES = [
  '/audit',
  '/accounts',
  '/system',
  '/queues',
  '/lanes',
  '/parked',
  '/usage',
  '/senders',
  '/send',
];

/** Runs in the page: collects what violates its policy. */
const WATCH = `
  globalThis.violations = [];
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    violations.push(violatedDirective + ' ' + blockedURI));`;

/** Runs in the page: lists what it made of the canary; nothing but text is right. */
const FIND_MARKUP = `[
  ...(globalThis.canary === undefined ? [] : ['a script ran']),
  ...violations,
  ...Array.from(
    document.querySelectorAll(
      'img[src*="canary"], [onerror], [onclick], a[href^="javascript" i], iframe, object, embed, script:not([src])'),
    ({ outerHTML }) => outerHTML.slice(0, 200)),
]`;

/** Runs in the page: its text, with that of its fields. */
const TEXT = `[
  document.querySelector('main').innerText,
  ...Array.from(document.querySelectorAll('input, textarea'), ({ value }) => value),
].join(' ')`;

/** Opens a page, and lists what is wrong with it. */
async function look(page: Page, path: string, text: string): Promise<string[]> {
  await page.goto(`/app${path}`);
  const heading = page.locator('main h1, main h2, main h3').first();
  const isThere = await heading.waitFor().then(
    () => true,
    () => false,
  );
  await waitUntilLoaded(page);
  const found = (await page.evaluate(FIND_MARKUP)) as string[];
  if (!isThere) found.push('there is no heading');
  const shown = (await page.evaluate(TEXT)) as string;
  return shown.includes(text) ? found : [...found, 'the canary is missing'];
}

testInBrowser(
  'what people, recipients, gateways and endpoints write is text on every page',
  async () => {
    const page = await t.open();
    await page.addInitScript(WATCH);
    page.on('dialog', (dialog) => void dialog.dismiss().then(() => t.problems.push('a dialog opened')));
    await t.signIn(page);
    await t.query('UPDATE app_user SET name = $1 WHERE email = $2', [CANARY, OWNER]);
    await t.query(`UPDATE account SET name = $1 WHERE name = 'Demo'`, [CANARY]);
    const token = await createUser(t.p.databaseUrl, {
      email: 'second@shop.example',
      name: CANARY,
      role: 'operator',
      account: CANARY,
    });
    await page.goto(`/app/#token=${token}`);
    await page.locator('nav[aria-label=Pages]').waitFor({ state: 'attached' });
    const shown = {
      ...Object.fromEntries(OTHER_PAGES.map((path) => [path, ''])),
      '/audit': 'canary',
      '/accounts': 'canary',
      ...(await plantByPeople()),
      ...(await plantTemplate()),
      ...(await plantByRecipients()),
      ...(await plantUpstream()),
    };

    const wrong: Record<string, string[]> = {};
    for (const [path, text] of Object.entries(shown)) {
      const found = await look(page, path, text);
      if (found.length > 0) wrong[path] = found;
    }

    expect({ wrong, refused }).toEqual({ wrong: {}, refused: [] });
  },
  600_000,
);
