import { expect } from '@jest/globals';
import { testInBrowser } from '@signalbox/test/browser';
import { follow, startSharedDashboard } from '@signalbox/test/dashboard';
import type { Page } from 'playwright-core';

const t = await startSharedDashboard();

/** The call that makes something named `gone`, its table, and the pages of one and of all. */
interface Deletable {
  path: string;
  body: object;
  table: string;
  at: (id: string) => string;
  list: string;
  heading: string;
}

const DELETABLE: Deletable[] = [
  {
    path: '/v1/webhooks',
    body: { endPoint: 'https://example.com/reports' },
    table: 'webhook',
    at: (id) => `/webhooks/${id}`,
    list: '/webhooks',
    heading: 'DLR Push Configuration',
  },
  {
    path: '/v1/sms/templates',
    body: { text: 'Your order is on its way.' },
    table: 'sms_template',
    at: (id) => `/sms-templates/${id}`,
    list: '/sms-templates',
    heading: 'SMS templates',
  },
  {
    path: '/v1/chatapp/createChatTemplate',
    body: {
      category: 'UTILITY',
      language: 'en',
      chatAccountId: 100_001,
      components: [{ type: 'BODY', text: 'Your order is on its way.' }],
    },
    table: 'template',
    at: (id) => `/templates/${id}`,
    list: '/templates',
    heading: 'Templates',
  },
  {
    path: '/v1/verify/configs',
    body: { sender: 'SHOP' },
    table: 'verification_config',
    at: (id) => `/verification/configs/${id}`,
    list: '/verification',
    heading: 'Verification',
  },
  {
    path: '/v1/chat-accounts',
    body: {},
    table: 'chat_account',
    at: (id) => `/chat-accounts/${id}`,
    list: '/chat-accounts',
    heading: 'Chat accounts',
  },
  {
    path: '/v1/gateways',
    body: { channel: 'sms', kind: 'simulator', enabled: false },
    table: 'gateway',
    at: () => '/gateways/gone',
    list: '/gateways',
    heading: 'Gateways',
  },
  {
    path: '/v1/routes',
    body: { targets: [{ gateway: 'kept' }] },
    table: 'route',
    at: (id) => `/routes/${id}`,
    list: '/routes',
    heading: 'Routes',
  },
];

/** Makes the page read itself again, and waits for a call that begins after these reads. */
const LOOK_AGAIN = `(async () => {
  document.dispatchEvent(new Event('visibilitychange'));
  await fetch('/v1/users/me');
})()`;

async function post(page: Page, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const request = JSON.stringify({ method: 'POST', headers, body: JSON.stringify(body) });
  expect(await page.evaluate(`fetch('${path}', ${request}).then((answer) => answer.text())`)).toContain(
    '"error":null',
  );
}

testInBrowser(
  'a page that deletes what it shows opens the list without it, and reads it no more',
  async () => {
    const page = await t.open();
    await t.signIn(page);
    await post(page, '/v1/gateways', { name: 'kept', channel: 'sms', kind: 'simulator', enabled: false });
    for (const { path, body } of DELETABLE) await post(page, path, { name: 'gone', ...body });
    const absent: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 404) absent.push(response.url());
    });
    await page.route('**', async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      // the tab becomes visible before the answer arrives, so the page refreshes
      const response = await route.fetch();
      await page.evaluate(LOOK_AGAIN);
      await route.fulfill({ response });
    });
    for (const { table, at, list, heading } of DELETABLE) {
      const [row] = await t.query<{ id: string }>(`SELECT id FROM ${table} WHERE name = 'gone'`);
      await follow(page, list);
      await page.getByRole('main').getByText('gone', { exact: true }).first().waitFor();

      await follow(page, at(row!.id));
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      const question = page.getByRole('dialog');
      if (table === 'chat_account') await question.getByRole('textbox').fill('gone');
      await question.getByRole('button', { name: 'Delete', exact: true }).click();

      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await page.getByRole('main').getByText('gone', { exact: true }).waitFor({ state: 'detached' });
      expect([table, absent]).toEqual([table, []]);
    }
  },
);

/** A call that ends when its page was left: what makes its page, its fields, its buttons, its path, and its notice. */
interface Late {
  prepare: (page: Page) => Promise<string>;
  fields: Record<string, string>;
  buttons: [first: string, second: string];
  path: string;
  notice: string;
}

const LATE: Late[] = [
  {
    prepare: async () => '/send',
    fields: { Recipients: '919800000100', Text: 'Hello' },
    buttons: ['Send', 'Send 1'],
    path: '/v1/sms',
    notice: 'The send was accepted.',
  },
  {
    prepare: async (page) => {
      await post(page, '/v1/sms/templates', { name: 'late', text: 'Hello' });
      const [row] = await t.query<{ id: string }>(`SELECT id FROM sms_template WHERE name = 'late'`);
      return `/sms-templates/${row!.id}`;
    },
    fields: {},
    buttons: ['Delete', 'Delete'],
    path: '/v1/sms/templates/*',
    notice: 'The template was deleted.',
  },
];

testInBrowser('a send or a deletion that ends later leaves the next page as it is', async () => {
  const page = await t.open();
  await t.signIn(page);
  const button = (place: 'main' | 'dialog', name: string) =>
    page.getByRole(place).getByRole('button', { name, exact: true });
  for (const { prepare, fields, buttons, path, notice } of LATE) {
    await follow(page, await prepare(page));
    if (path === '/v1/sms') await page.getByLabel('Sender').first().fill('SHOP');
    for (const [name, value] of Object.entries(fields))
      await page.getByRole('textbox', { name, exact: true }).fill(value);
    const held = Promise.withResolvers<void>();
    await page.route(`**${path}`, (route) => held.promise.then(() => route.continue()));
    await button('main', buttons[0]).click();
    const asked = page.waitForRequest(`**${path}`);
    await button('dialog', buttons[1]).click();
    await asked;
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('link', { name: 'Chat accounts' }).click();
    if (path === '/v1/sms') await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Chat accounts', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'New chat account' }).first().click();
    const field = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
    await field.fill('half typed');

    held.resolve();

    await page.getByText(notice).waitFor();
    await page.evaluate('new Promise((resolve) => setTimeout(() => requestAnimationFrame(resolve)))');
    expect([notice, await field.inputValue()]).toEqual([notice, 'half typed']);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.unrouteAll();
  }
});
