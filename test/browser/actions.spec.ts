import type { ServerResponse } from 'node:http';
import { afterAll, expect } from '@jest/globals';
import { testInBrowser } from '@signalbox/test/browser';
import {
  OWNER,
  follow,
  forgetOutage,
  setPassword,
  shoot,
  startSharedDashboard,
} from '@signalbox/test/dashboard';
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
    const calls = noteCalls(page);

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

/** Submits the form of a field twice without a pause, as a person does who presses Enter twice on a slow computer. */
const submitTwice = (field: Locator): Promise<void> =>
  field.evaluate(({ form }: { form: { requestSubmit: () => void } }) => {
    form.requestSubmit();
    form.requestSubmit();
  });

/** Collects the paths of the calls that a page makes to change something. */
function noteCalls(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') calls.push(new URL(request.url()).pathname);
  });
  return calls;
}

testInBrowser('a sign-in is sent once until its page is shown, and again after a refusal', async () => {
  const owner = await t.open();
  await t.signIn(owner);
  await setPassword(owner, 'a long password of the owner');
  const page = await t.open();
  await page.goto('/app/sign-in');
  const calls = noteCalls(page);
  await page.getByLabel('E-mail').fill(OWNER);
  const password = page.getByRole('textbox', { name: 'Password' });
  const button = (disabled: boolean) => page.getByRole('button', { name: 'Sign in', exact: true, disabled });

  await password.fill('another password');
  await submitTwice(password);
  await page.getByRole('alert').waitFor();
  await button(false).waitFor();
  expect(calls).toEqual(['/v1/session']);

  await password.fill('a long password of the owner');
  const held = Promise.withResolvers<void>();
  await page.route('**/v1/me', (route) => held.promise.then(() => route.continue()));
  const next = page.waitForRequest('**/v1/me');
  await submitTwice(password);
  await next;
  await button(true).waitFor();
  await password.press('Enter');
  held.resolve();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(calls).toEqual(['/v1/session', '/v1/session']);
});

testInBrowser('a text on the phone is sent once, and stays when it was not sent', async () => {
  const text = { from: PHONE, to: SENDER, channel: 'sms', type: 'text', text: { body: 'Hi' } };
  await call('/v1/simulator/inbound', text);
  const page = await t.open();
  await t.signIn(page, `/phone?number=${PHONE}`);
  const calls = noteCalls(page);
  const field = page.getByRole('textbox', { name: 'Reply' });
  const send = (disabled: boolean) => page.getByRole('button', { name: 'Send', exact: true, disabled });
  await field.fill('When?');
  const held = Promise.withResolvers<void>();
  await page.route('**/v1/simulator/inbound', (route) => held.promise.then(() => route.abort()));

  await submitTwice(field);
  await send(true).waitFor();
  await field.press('Enter');
  held.resolve();
  await page.getByText('Signalbox cannot be reached.').first().waitFor();
  await send(false).waitFor();
  expect([await field.inputValue(), calls.length]).toEqual(['When?', 1]);

  await page.unrouteAll();
  await submitTwice(field);
  await expectEmptied(field);
  expect(calls).toHaveLength(2);
  forgetOutage(t);
});

const expectEmptied = (field: Locator): Promise<void> =>
  waitFor(async () => (await field.inputValue()) === '', { otherwise: 'the sent text stayed' });

testInBrowser('what is typed while a reply is sent stays in its field', async () => {
  const text = { from: PHONE, to: SENDER, channel: 'sms', type: 'text', text: { body: 'Hi' } };
  await call('/v1/simulator/inbound', text);
  const page = await t.open();
  await t.signIn(page, `/inbox?with=${SENDER}:${PHONE}`);
  const field = page.getByRole('textbox', { name: 'Reply' });
  await field.fill('One moment');
  const held = Promise.withResolvers<void>();
  await page.route('**/v1/sms', (route) => held.promise.then(() => route.continue()));

  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('button', { name: 'Send', exact: true, disabled: true }).waitFor();
  await field.fill('One moment, please');
  held.resolve();

  await page.getByText('The message was accepted.').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true, disabled: false }).waitFor();
  expect(await field.inputValue()).toBe('One moment, please');
  await field.fill('');
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

/** Fields that would apply, one when it is left and one soon after the last key. */
const LEFT: [path: string, field: string][] = [
  ['/sends', 'Campaign'],
  ['/templates', 'Exact name'],
];

testInBrowser.each(LEFT)(
  '%s shows that another page loads, and applies no filter then',
  async (path, label) => {
    const page = await t.open();
    await page.clock.install();
    await t.signIn(page, path);
    const field = page.getByRole('textbox', { name: label });
    const held = Promise.withResolvers<void>();
    await page.route('**/queues.page-*.js', (route) => held.promise.then(() => route.continue()));
    const asked = page.waitForRequest('**/queues.page-*.js');

    await field.fill('order');
    await page.evaluate(`globalThis.__TSR_ROUTER__.history.push('/app/queues')`);
    await asked;
    const progress = page.getByRole('progressbar', { name: 'Opening the page' });
    await progress.waitFor();
    await page.clock.fastForward(1_000);
    await field.blur();
    held.resolve();

    await page.getByRole('heading', { name: 'Queues', level: 1 }).waitFor();
    await progress.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/app/queues');
  },
);

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

testInBrowser('a field for a template finds those of all pages', async () => {
  for (const name of ['paged_1', 'paged_2', 'paged_3']) {
    await review(await createTemplate(name), 'approve');
    await call('/v1/sms/templates', { name, text: 'Hello' });
  }
  await call('/v1/simulator/inbound', {
    from: PHONE,
    to: SENDER,
    channel: 'chatapp',
    type: 'text',
    text: { body: 'Hi' },
  });
  const page = await t.open();
  await page.route(/limit=200/, (route) =>
    route.continue({ url: route.request().url().replace('=200', '=1') }),
  );
  await t.signIn(page);
  for (const [path, label] of [
    ['/send', 'Template'],
    ['/send?channel=chatapp', 'Template'],
    [`/inbox?with=${SENDER}:${PHONE}`, 'Approved template'],
  ] as const) {
    await follow(page, path);
    if (path.startsWith('/inbox')) await page.getByText('Template', { exact: true }).click();
    const field = page.getByRole('combobox', { name: label });
    await field.click();
    await field.fill('paged_');
    for (const n of [1, 2, 3]) await page.getByRole('option', { name: `paged_${n}` }).waitFor();
    await page.keyboard.press('Escape');
  }
});

testInBrowser('CANCEL is marked as a refusal in an SMS, and as waiting in a chat app', async () => {
  const text = { to: SENDER, type: 'text', text: { body: 'Cancel' } };
  await call('/v1/simulator/inbound', { ...text, from: '919800000111', channel: 'sms' });
  await call('/v1/simulator/inbound', { ...text, from: '919800000112', channel: 'chatapp' });
  const page = await t.open();
  await t.signIn(page, '/inbox');
  await page.getByRole('link', { name: '919800000111' }).getByText('Said STOP').waitFor();
  await page.getByRole('link', { name: '919800000112' }).getByText('Waiting').waitFor();
});

function offered(page: Page): Promise<string[]> {
  return page.getByRole('option').allInnerTexts();
}
