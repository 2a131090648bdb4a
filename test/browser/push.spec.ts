import type { ServerResponse } from 'node:http';
import { afterAll, expect } from '@jest/globals';
import { testInBrowser } from '@signalbox/test/browser';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { expectGoodPages, follow, shoot, startSharedDashboard } from '@signalbox/test/dashboard';
import { PAGES } from '@signalbox/test/pages';
import { APP_SECRET, TOKEN, VERIFY_TOKEN, WABA, startGraph } from '@signalbox/test/graph-server';
import { type ReceivedPush, startReceiver } from '@signalbox/test/receiver';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { startSmsc } from '../../libs/gateways/test/smsc.ts';

const t = await startSharedDashboard();
let status = 200;

const receiver = await startReceiver((_: ReceivedPush, response: ServerResponse) =>
  response.writeHead(status).end(status === 200 ? 'thank you' : 'upstream is down'),
);
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
});

const sendSms = async (to: string, sender = 'SIGNAL'): Promise<string> => {
  const { body } = await t.p.post('/v1/sms', { sender, to, text: 'Hello', type: 'TRANS' });
  return (body as { data: { messageId: string }[] }).data[0]!.messageId;
};
const pushesOf = (messageId: string): ReceivedPush[] =>
  receiver.received.filter(({ report }) => report['messageId'] === messageId);
const createWebhook = async (body: object): Promise<string> => {
  const answer = await t.p.post('/v1/webhooks', body);
  return (answer.body as { data: { id: string } }).data.id;
};
const untilStatus = (messageId: string, wanted: string): Promise<void> =>
  waitFor(
    async () => {
      const [row] = await t.query<{ status: string }>(
        `SELECT p.status
           FROM push p
           JOIN message_event r ON r.id = p.report_id
          WHERE r.submission_id::text || ':' || r.n = $1`,
        [messageId],
      );
      return row?.status === wanted;
    },
    { otherwise: `the push of ${messageId} did not become ${wanted}` },
  );

testInBrowser(
  'a configuration is added by the menu, breaks, says why, and is corrected and replayed',
  async () => {
    const page = await t.open();
    await t.signIn(page);

    const secret = await addConfiguration(page);
    const first = await sendSms('919812345678');
    await receiver.until(() => pushesOf(first).length > 0);
    const [push] = pushesOf(first);
    expect(new Webhook(secret).verify(push!.body, push!.headers as Record<string, string>)).toBeTruthy();
    expect(push!.headers['message-id']).toBe(first);

    status = 503;
    const second = await sendSms('919812345679');
    await untilStatus(second, 'EXHAUSTED');
    await page.getByRole('link', { name: 'Open the configuration' }).click();
    await page.getByRole('status').getByText('The endpoint returned 503.').waitFor();
    await page.getByLabel('Recipient', { exact: true }).fill('919812345679');
    await page.keyboard.press('Enter');
    await page
      .getByRole('link')
      .filter({ has: page.locator('time') })
      .first()
      .click();
    await page.getByText('upstream is down').waitFor();
    await shoot(page, 'push-delivery-failed');

    status = 200;
    await page.goBack();
    await page.getByRole('button', { name: 'Replay…' }).click();
    await page.getByText('1 delivery is pushed again.').waitFor();
    await page.getByRole('button', { name: 'Start replay' }).click();
    await untilStatus(second, 'DELIVERED');
    expect(pushesOf(second)).toHaveLength(2);
    await page.getByText('1 of 1 exhausted').waitFor();

    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send test' }).click();
    await page.getByRole('dialog').getByText('thank you').waitFor();
    await page.keyboard.press('Escape');

    await takeBatches(page);
    const third = await sendSms('919812345680');
    await receiver.until((received) =>
      received.some(({ body }) => body.startsWith('[') && body.includes(third)),
    );
  },
);

testInBrowser('a configuration that was never called and a listener say so', async () => {
  const endPoint = receiver.url;
  const filters = { sender: ['NOBODY'] };
  const idle = await createWebhook({ name: 'idle', endPoint, filters });
  const listener = await createWebhook({
    name: 'listen (sms)',
    endPoint: 'https://listen.invalid/',
    filters,
  });
  await t.p.post(`/v1/webhooks/${listener}/pull`, {});
  const page = await t.open();
  await t.signIn(page, '/webhooks');

  const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });
  await rowOf('idle').getByText('No call yet').waitFor();
  await rowOf('listen (sms)').getByText('Listener').waitFor();
  expect(await rowOf('listen (sms)').textContent()).not.toMatch(/Disabled|invalid/);
  await shoot(page, 'push-uncalled');

  await page.goto(`/app/webhooks/${idle}`);
  await page.getByRole('heading', { name: 'idle' }).getByText('No call yet').waitFor();
  expect(await page.getByText('Healthy').count()).toBe(0);

  await page.goto(`/app/webhooks/${listener}`);
  await page.getByRole('heading', { name: 'listen (sms)' }).getByText('Listener').waitFor();
  expect(await page.getByRole('button', { name: /Enable|Send test/ }).count()).toBe(0);
  await shoot(page, 'push-listener');
});

testInBrowser('a pending push is the last event of its message, after the failed calls', async () => {
  status = 503;
  const body = { name: 'later', schedule: [1, 3600], filters: { sender: ['LATER'] } };
  await createWebhook({ endPoint: receiver.url, ...body });
  const id = await sendSms('919812345690', 'LATER');
  await receiver.until(() => pushesOf(id).length === 2);
  status = 200;
  const page = await t.open();
  await t.signIn(page, `/messages/${id}`);

  await page.getByText('Push 2 to later failed').waitFor();
  const titles = await page.getByText(/(Push \d|A push) to later/).allTextContents();
  expect(titles).toEqual([
    expect.stringMatching(/^Push 1 to later failed/),
    expect.stringMatching(/^Push 2 to later failed/),
    'A push to later waits',
  ]);
  // an Arabic name would change the order of the words and numbers after it
  expect(await page.locator('bdi', { hasText: 'later' }).count()).toBe(3);
});

testInBrowser('a due push says that it waits for the breaker, or for its configuration', async () => {
  status = 503;
  const body = { name: 'held', schedule: [3600], filters: { sender: ['HELD'] } };
  const held = await createWebhook({ endPoint: receiver.url, ...body });
  const id = await sendSms('919812345691', 'HELD');
  await receiver.until(() => pushesOf(id).length === 1);
  status = 200;
  const change = (sql: string) =>
    waitFor(async () => (await t.query(`${sql} RETURNING webhook_id`, [held])).length > 0);
  await change(`UPDATE endpoint SET open_level = 1, open_until = 'tomorrow' WHERE webhook_id = $1`);
  await change(`UPDATE push SET next_attempt_at = now() WHERE webhook_id = $1 AND attempts = 1`);
  const page = await t.open();
  await t.signIn(page, `/webhooks/${held}`);

  await page.getByRole('row').getByText('when the breaker closes').waitFor();
  await page.getByRole('row').getByRole('link').first().click();
  await page.locator('dd').getByText('when the breaker closes').waitFor();

  await page.goto(`/app/webhooks/${held}`);
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('row').getByText('when it is enabled').waitFor();
  await page.getByRole('row').getByRole('link').first().click();
  await page.locator('dd').getByText('when it is enabled').waitFor();
});

testInBrowser('a developer gets from nothing to a verified push and a message on the phone', async () => {
  const page = await t.open();
  await t.signIn(page);
  const menu = page.getByRole('navigation', { name: 'Pages' });

  await menu.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Shop');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'New API key' });
  const apikey = await shown.getByText(/^sb_live_/).innerText();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await menu.getByRole('link', { name: 'DLR Push Configuration' }).click();
  await page.getByRole('link', { name: 'Add Configuration' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('shop');
  await page.getByRole('textbox', { name: 'End Point' }).fill(`${receiver.url}/shop`);
  await page.getByRole('button', { name: 'Add Configuration' }).click();
  const secret = await page.getByText(/^whsec_/).innerText();

  const answer = await fetch(`${t.p.apiUrl}/v1/sms`, {
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json' },
    body: JSON.stringify({ sender: 'SHOP', to: '919812345677', text: 'Your first message', type: 'TRANS' }),
  });
  expect(answer.status).toBe(200);
  await menu.getByRole('link', { name: 'Phone' }).click();
  await page.getByRole('link', { name: '919812345677' }).click();
  await page.getByRole('log').getByText('Your first message').waitFor();
  const isShop = ({ url }: ReceivedPush): boolean => url === '/shop';
  await receiver.until((received) => received.some(isShop));
  const push = receiver.received.find(isShop)!;
  expect(new Webhook(secret).verify(push.body, push.headers as Record<string, string>)).toBeTruthy();
});

/** Edits the open configuration to take several reports in one call, which removes its headers. */
async function takeBatches(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('button', { name: /^More/ }).click();
  await page.getByLabel('Several reports in one call').check();
  await page.getByRole('textbox', { name: 'Maximum reports per call' }).fill('50');
  await page.getByRole('region', { name: 'The request that will be made' }).getByText('"sequence"').waitFor();
  await shoot(page, 'push-batches');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Up to 50, waiting up to 200 ms').waitFor();
}

/** Adds a configuration by the path of the spec; returns the secret that the page shows once. */
async function addConfiguration(page: Page): Promise<string> {
  const menu = page.getByRole('navigation', { name: 'Pages' });
  await menu.getByRole('link', { name: 'DLR Push Configuration' }).click();
  await page.getByRole('link', { name: 'Add Configuration' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('orders');
  await page.getByRole('textbox', { name: 'End Point' }).fill('not-an-address');
  await page.getByRole('button', { name: 'Add Configuration' }).click();
  await page
    .getByRole('alert')
    .getByText(/^End Point: Must be/)
    .waitFor();
  await page.getByRole('textbox', { name: 'End Point' }).fill(`${receiver.url}/reports`);
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'The request that will be made' }).getByText('/reports').waitFor();
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('thank you').waitFor();
  expect(receiver.received.at(-1)?.headers['webhook-test']).toBe('true');
  await page.getByRole('button', { name: /^More/ }).click();
  await page.getByLabel(/^Default schedule/).uncheck();
  await page.getByRole('button', { name: 'Add Configuration' }).click();
  const secret = page.getByText(/^whsec_/);
  await secret.waitFor();
  return secret.innerText();
}

testInBrowser('a gateway is added, takes a test message, is paused, and a route is explained', async () => {
  const page = await t.open();
  await t.signIn(page, '/gateways/add');

  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: /^Simulator/ }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('carrier-1');
  await page.getByRole('button', { name: 'Add gateway' }).click();
  await page.getByRole('heading', { name: 'carrier-1' }).getByText('Up').waitFor();
  await page.getByRole('button', { name: 'Send test message' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Sender' }).fill('SIGNAL');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Recipient' }).fill('919812345670');
  await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
  await page.getByRole('dialog').getByText('Delivered').waitFor();
  const [message] = await t.query(`SELECT gateway, status FROM message WHERE recipient = '919812345670'`);
  expect(message).toEqual({ gateway: 'carrier-1', status: 'DELIVERED' });
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('heading', { name: 'carrier-1' }).getByText('Paused').waitFor();
  expect(await t.query(`SELECT paused FROM gateway WHERE name = 'carrier-1'`)).toEqual([{ paused: true }]);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('heading', { name: 'carrier-1' }).getByText('Up').waitFor();

  await addSecondGateway(page);
  await addRoutes(page);
  await page.getByRole('textbox', { name: 'Recipient' }).fill('919812345678');
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('Taken').waitFor();
  await page.getByRole('button', { name: 'Move up: india' }).press('Enter');
  await untilFirstRoute(page, 'india');
  await page.getByRole('row', { name: 'india' }).dragTo(page.getByRole('row', { name: 'default' }));
  await untilFirstRoute(page, 'default');
});

/** Adds a gateway next to carrier-1, which is refused while it is enabled, and tries to save a route without one. */
async function addSecondGateway(page: Page): Promise<void> {
  const add = await openGatewayForm(page, /^Simulator/, 'carrier-2');
  await add({});
  await page.getByRole('button', { name: 'Add it disabled' }).click();
  await page.getByRole('heading', { name: 'Add route' }).waitFor();
  expect(await t.query(`SELECT enabled FROM gateway WHERE name = 'carrier-2'`)).toEqual([{ enabled: false }]);
  await page.getByRole('textbox', { name: 'Name' }).fill('nowhere');
  await page.getByRole('button', { name: 'Add route' }).click();
  await page.getByText('Choose a gateway.').waitFor();
}

async function untilFirstRoute(page: Page, name: string): Promise<void> {
  await page.getByRole('row').nth(1).getByRole('link', { name }).waitFor();
  const [first] = await t.query<{ name: string }>('SELECT name FROM route ORDER BY priority LIMIT 1');
  expect(first).toEqual({ name });
}

testInBrowser('gateways to an SMSC, a vendor and the Cloud API are added by their forms', async () => {
  await using smsc = await startSmsc();
  await using graph = await startGraph('919800000555');
  const page = await t.open();
  await t.signIn(page);

  const smpp = await openGatewayForm(page, /^SMPP/, 'smsc-1');
  await smpp({ Host: 'http://127.0.0.1', 'System id': 'a system id that is too long' });
  await page.getByText('Must be a host name or an IP address, without a scheme or a port').first().waitFor();
  await page.getByText('Must have 1 to 15 ASCII characters').first().waitFor();
  await smpp({ Host: '127.0.0.1', Port: String(smsc.port), 'System id': 'signal', Password: 'secret' });
  await page.getByText(`Bound to 127.0.0.1:${smsc.port} as signal (transceiver).`).first().waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'System id' }).fill('other');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText(`Bound to 127.0.0.1:${smsc.port} as other (transceiver).`).first().waitFor();

  const http = await openGatewayForm(page, /^HTTP/, 'vendor-1');
  await http({});
  await page.getByText('Is needed, with method and url, unless there is a preset').first().waitFor();
  await page.getByRole('combobox', { name: 'Preset of a vendor' }).click();
  expect(await page.getByRole('textbox', { name: 'Username' }).isVisible()).toBe(false);
  await page.getByRole('option', { name: 'twilio' }).click();
  await page.getByRole('textbox', { name: 'Account SID' }).fill('of another vendor');
  await page.getByRole('combobox', { name: 'Preset of a vendor' }).click();
  await page.getByRole('option', { name: 'kannel' }).click();
  expect(await page.getByRole('textbox', { name: 'Account SID' }).count()).toBe(0);
  await http({ Username: 'tester' });
  await page.getByText('Is needed by the preset kannel').first().waitFor();
  await page.getByRole('textbox', { name: 'URL', exact: true }).waitFor({ state: 'hidden' });
  const vendor = { 'Base URL': receiver.url, Token: 'secret', 'Callback secret': 'a secret of the vendor' };
  await http(vendor);
  await page.getByText('Is a private address').first().waitFor();
  await page.getByRole('button', { name: 'More settings' }).click();
  await page.getByRole('checkbox', { name: 'Allow loopback and private networks' }).check();
  await http(vendor);
  await page.getByRole('heading', { name: 'vendor-1' }).getByText('Connecting').waitFor();

  const cloud = await openGatewayForm(page, /Cloud API$/, 'cloud-1');
  await cloud({ 'WhatsApp Business Account id': 'my account' });
  await page.getByText('Must be the id of the WhatsApp Business Account: digits').first().waitFor();
  const secrets = { 'Access token': TOKEN, 'App secret': APP_SECRET, 'Verify token': VERIFY_TOKEN };
  await cloud({ 'WhatsApp Business Account id': WABA, 'Base URL': graph.url, ...secrets });
  await page.getByText('Is a private address').first().waitFor();
  await page.getByRole('button', { name: 'More settings' }).click();
  await page.getByRole('checkbox', { name: 'Allow loopback and private networks' }).check();
  await cloud(secrets);
  await page.getByText('Serves 1 number of the business account.').first().waitFor();

  const rows = await t.query(
    `SELECT name, kind, settings->>'systemId' AS "systemId" FROM gateway ORDER BY id`,
  );
  expect(rows.slice(-3)).toEqual([
    { name: 'smsc-1', kind: 'smpp', systemId: 'other' },
    { name: 'vendor-1', kind: 'http', systemId: null },
    { name: 'cloud-1', kind: 'cloud-api', systemId: null },
  ]);
});

/** Opens the form of a kind; the function it returns fills fields by their labels, and sends the form. */
async function openGatewayForm(page: Page, kind: RegExp, name: string) {
  await follow(page, '/gateways/add');
  if (/Cloud/.test(kind.source)) await page.getByText('Chat app', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: kind }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  return async (fields: Record<string, string>): Promise<void> => {
    for (const [label, value] of Object.entries(fields))
      await page.getByRole('textbox', { name: label }).fill(value);
    await page.getByRole('button', { name: 'Add gateway' }).click();
  };
}

async function addRoutes(page: Page): Promise<void> {
  const targets = [{ gateway: 'carrier-1' }];
  await t.p.post('/v1/routes', { name: 'default', priority: 10, targets });
  await t.p.post('/v1/routes', { name: 'india', priority: 20, match: { countries: ['IN'] }, targets });
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Routes' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('link', { name: 'india' }).waitFor();
}

testInBrowser('the pages of pushes and routing are accessible and fit their windows', async () => {
  const [{ id } = { id: '' }] = await t.query<{ id: string }>('SELECT id FROM webhook LIMIT 1');
  const [route] = await t.query<{ id: string }>(`SELECT id FROM route WHERE name = 'india'`);
  const [push] = await t.query<{ reportId: string; webhookId: string }>(
    'SELECT report_id AS "reportId", webhook_id AS "webhookId" FROM push LIMIT 1',
  );
  await t.query('UPDATE webhook SET endpoint = $2 WHERE id = $1', [
    id,
    `https://shop.example/${'long'.repeat(50)}`,
  ]);
  await expectGoodPages(t, {
    ...PAGES.push,
    [`/webhooks/${id}`]: 'orders',
    [`/webhooks/${id}/edit`]: 'Edit orders',
    [`/deliveries/${deliveryId(push!.reportId, push!.webhookId)}`]: 'Delivery',
    [`/routes/${route!.id}`]: 'india',
  });
});
