import type { ServerResponse } from 'node:http';
import { afterAll, expect } from '@jest/globals';
import { testInBrowser } from '@signalbox/test/browser';
import { follow, shoot, startSharedDashboard } from '@signalbox/test/dashboard';
import { startReceiver } from '@signalbox/test/receiver';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Locator, Page } from 'playwright-core';

const t = await startSharedDashboard();
let status = 200;
const receiver = await startReceiver((_, response: ServerResponse) => response.writeHead(status).end());
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
});

const PHONE = '919800000100';
const SENDER = '15550100001';

/** Makes a call that must succeed; returns its data. */
async function call<Data>(path: string, body: object = {}): Promise<Data> {
  const answer = await t.p.post(path, body);
  expect(answer.body).not.toHaveProperty('error.code');
  return (answer.body['data'] ?? answer.body) as Data;
}

/** Creates a template without values; returns its id. */
async function createTemplate(name: string, chatAccountId = 100_001): Promise<string> {
  const { body } = await t.p.post('/v1/chatapp/createChatTemplate', {
    name,
    category: 'UTILITY',
    language: 'en',
    chatAccountId,
    components: [{ type: 'BODY', text: 'Your order has left our house.' }],
  });
  return String(body['id']);
}

const review = (id: string, ...decisions: string[]): Promise<unknown> =>
  decisions.reduce<Promise<unknown>>(
    (before, decision) => before.then(() => call('/v1/chatapp/reviewChatTemplate', { id, decision })),
    Promise.resolve(),
  );

/** A button that makes a call: makes what it acts on, and returns the path of its page. */
const ACTIONS: [button: string, prepare: () => Promise<string>][] = [
  ['Approve', async () => `/templates/${await createTemplate('pressed_twice')}`],
  [
    'Resume',
    async () => {
      const id = await createTemplate('paused');
      await review(id, 'approve', 'pause');
      return `/templates/${id}`;
    },
  ],
  [
    'Resume',
    async () => {
      await call('/v1/queues/sms-promo/pause');
      return '/queues/sms-promo';
    },
  ],
  [
    'Enable',
    async () => {
      const { id } = await call<{ id: string }>('/v1/webhooks', {
        name: 'off',
        channel: 'chatapp',
        events: ['message.status'],
        endPoint: receiver.url,
      });
      await call(`/v1/webhooks/${id}/disable`);
      return `/webhooks/${id}`;
    },
  ],
];

testInBrowser('a button that is pressed twice quickly makes one call', async () => {
  const page = await t.open();
  await t.signIn(page);
  for (const [name, prepare] of ACTIONS) {
    await follow(page, await prepare());
    const button = page.getByRole('main').getByRole('button', { name, exact: true });
    await button.waitFor();
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') calls.push(request.url());
    });

    await button.evaluate((each: { click: () => void }) => {
      each.click();
      each.click();
    });

    await button.waitFor({ state: 'hidden' });
    expect([name, calls]).toEqual([name, [expect.any(String)]]);
    page.removeAllListeners('request');
  }
});

testInBrowser('a button is busy until the page shows the outcome of its call', async () => {
  const page = await t.open();
  await t.signIn(page, `/templates/${await createTemplate('held')}`);
  const held = Promise.withResolvers<void>();
  await page.route('**/reviewChatTemplate', async (route) => {
    await held.promise;
    await route.continue();
  });

  await page.getByRole('button', { name: 'Approve' }).click();

  await page.getByRole('button', { name: 'Approve', disabled: true }).waitFor();
  await shoot(page, 'template-approving');
  held.resolve();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
});

/** Filters that apply while somebody types, or by Enter. */
const FILTERS: [path: string, field: string, parameter: string, key?: string][] = [
  ['/templates', 'Exact name', 'name'],
  ['/accounts', 'Search accounts', 'q'],
  ['/sends', 'Campaign', 'campaignName', 'Enter'],
];

testInBrowser('a filter keeps the focus and the text while its list is read again', async () => {
  const page = await t.open();
  await t.signIn(page);
  for (const [path, label, parameter, key] of FILTERS) {
    await follow(page, path);
    const field = page.getByRole('textbox', { name: label });
    await field.click();
    await page.keyboard.type('order');
    if (key !== undefined) await page.keyboard.press(key);
    await page.waitForURL((url) => url.searchParams.get(parameter) === 'order');
    await page.keyboard.type('s');

    expect([path, await field.inputValue()]).toEqual([path, 'orders']);
    if (key === undefined) await page.waitForURL((url) => url.searchParams.get(parameter) === 'orders');
  }
});

testInBrowser('a filter follows an address that changes', async () => {
  const page = await t.open();
  await t.signIn(page, '/templates?name=order');
  const field = page.getByRole('textbox', { name: 'Exact name' });
  expect(await field.inputValue()).toBe('order');

  await page.getByRole('button', { name: 'Clear filters' }).click();

  await page.waitForURL((url) => !url.searchParams.has('name'));
  expect(await field.inputValue()).toBe('');
});

/** Sends an SMS, and waits until its push has ended. Returns the id of the message. */
async function pushed(wanted: string): Promise<string> {
  const sent = await call<{ messageId: string }[]>('/v1/sms', {
    sender: 'SHOP',
    to: PHONE,
    text: 'Hello',
    type: 'TRANS',
  });
  const { messageId } = sent[0]!;
  const ended = (): Promise<object[]> =>
    t.query(
      `SELECT FROM push p JOIN message_event r ON r.id = p.report_id
        WHERE r.submission_id::text || ':' || r.n = $1 AND p.status = $2`,
      [messageId, wanted],
    );
  await waitFor(async () => (await ended()).length > 0, { otherwise: `the push did not become ${wanted}` });
  return messageId;
}

testInBrowser('what pushes again follows the deliveries while it is open', async () => {
  const { id } = await call<{ id: string }>('/v1/webhooks', {
    name: 'orders',
    endPoint: receiver.url,
    schedule: [],
  });
  const page = await t.open();
  await t.signIn(page, `/webhooks/${id}`);
  await page.getByRole('button', { name: 'Replay…' }).click();
  await page.getByText('No delivery matches.').waitFor();

  status = 503;
  const messageId = await pushed('EXHAUSTED');

  await page.getByText('1 delivery is pushed again.').waitFor();
  await shoot(page, 'replay-dialog');

  await follow(page, `/messages/${messageId}`);
  await page.getByRole('button', { name: 'Show calls' }).click();
  const calls = page.getByText(/503 · [\d,]+ ms/);
  await calls.first().waitFor();
  await page.getByRole('button', { name: 'Push again' }).click();
  await calls.nth(1).waitFor();
  await shoot(page, 'push-again');
});

testInBrowser('the inbox offers the templates of the chat account of its conversation', async () => {
  const { id: other } = await call<{ id: number }>('/v1/chat-accounts', { name: 'Another shop' });
  await review(await createTemplate('ours'), 'approve');
  await review(await createTemplate('of_another_shop', other), 'approve');
  const message = { from: PHONE, to: SENDER, channel: 'chatapp', type: 'text', text: { body: 'Hi' } };
  await call('/v1/simulator/inbound', message);
  const page = await t.open();
  await t.signIn(page, `/inbox?with=${SENDER}:${PHONE}`);
  await page.getByText('Template', { exact: true }).click();
  const field: Locator = page.getByRole('combobox', { name: 'Approved template' });

  await field.click();

  await page.getByRole('option', { name: 'ours (en)' }).waitFor();
  await shoot(page, 'inbox-templates');
  expect(await offered(page)).not.toContain('of_another_shop (en)');
});

function offered(page: Page): Promise<string[]> {
  return page.getByRole('option').allInnerTexts();
}
