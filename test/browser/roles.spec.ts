import { expect } from '@jest/globals';
import { createUser } from '@signalbox/database/users/seed';
import type { Role } from '@signalbox/domain/role';
import { testInBrowser } from '@signalbox/test/browser';
import { follow, startSharedDashboard, waitUntilLoaded } from '@signalbox/test/dashboard';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Page } from 'playwright-core';

const t = await startSharedDashboard();

/** Signs a new user of the demo account in. */
async function enter(role: Role): Promise<Page> {
  const email = `${role}-${crypto.randomUUID()}@shop.example`;
  const token = await createUser(t.p.databaseUrl, { email, name: `The ${role}`, role, account: 'Demo' });
  const page = await t.open();
  await page.goto(`/app/#token=${token}`);
  await page.locator('nav[aria-label=Pages]').waitFor({ state: 'attached' });
  return page;
}

/** Fills the pages of the account. @returns the id of an SMS template */
async function fill(): Promise<string> {
  await t.p.post('/v1/webhooks', { name: 'reports', endPoint: 'http://127.0.0.1:8099/' });
  await t.p.send('/v1/sms', {
    sender: 'SHOP',
    to: ['919800000100', '919812340001'],
    text: 'Hi',
    type: 'TRANS',
  });
  await t.p.post('/v1/verify/configs', { name: 'sign-up', sender: 'SHOP', text: 'Code {{code}}.' });
  const inbound = { channel: 'chatapp', from: '919800000100', to: '15550100001' };
  await t.p.post('/v1/simulator/inbound', { ...inbound, type: 'text', text: { body: 'Hello' } });
  await waitFor(async () => (await t.query('SELECT FROM inbound_message')).length > 0, {
    otherwise: 'the inbound message did not arrive',
  });
  const { body } = await t.p.post('/v1/sms/templates', { name: 'receipt', text: 'Thank you.' });
  return (body['data'] as { id: string }).id;
}

let filled: Promise<string> | undefined;
const fillOnce = (): Promise<string> => (filled ??= fill());

const hrefsOf = (page: Page, place: string): Promise<string[]> =>
  page
    .locator(`${place} a[href^="/app"]`)
    .evaluateAll((links) => links.map((link) => String(link.getAttribute('href')).slice('/app'.length)));

/** A link without the ids in it: two pages of a kind are enough. */
const kindOf = (href: string): string => href.replaceAll(/[0-9a-f-]{36}/g, 'id');

/** Follows the menu, and each link of the pages that it leads to. @returns calls that were refused, by page */
async function walk(page: Page): Promise<{ paths: string[]; refused: string[] }> {
  const refused: string[] = [];
  const paths = await hrefsOf(page, 'nav[aria-label=Pages]');
  let at = '';
  page.on('response', (response) => {
    const isCheck = response.request().method() === 'POST' && response.status() === 400;
    if (response.status() >= 400 && !isCheck) refused.push(`${at}: ${response.status()} ${response.url()}`);
  });
  for (const path of paths) {
    at = path;
    await follow(page, path);
    await waitUntilLoaded(page);
    for (const href of await hrefsOf(page, 'main')) {
      const known = paths.filter((each) => kindOf(each) === kindOf(href));
      if (known.length < 2 && !known.includes(href)) paths.push(href);
    }
  }
  return { paths, refused };
}

testInBrowser('an account without messages offers each role only what it may do', async () => {
  const viewer = await enter('viewer');
  await viewer.getByRole('heading', { name: 'No messages yet' }).waitFor();
  expect(await viewer.getByText('SIGNALBOX_API_KEY').count()).toBe(0);

  const editor = await enter('editor');
  await editor.getByText('which an admin creates').waitFor();
  await follow(editor, '/sends');
  await editor.getByRole('main').getByRole('link', { name: 'Send', exact: true }).waitFor();
});

testInBrowser('no link leads a viewer or an editor to what their role may not see', async () => {
  const template = await fillOnce();
  for (const role of ['viewer', 'editor'] as const) {
    const page = await enter(role);
    const { paths, refused } = await walk(page);
    expect([role, refused]).toEqual([role, []]);
    expect(paths.filter((path) => path.includes('***'))).toEqual([]);
    expect(paths).toContain('/chat-accounts/100001');
    for (const path of [`/sms-templates/${template}`, '/chat-accounts/100001']) {
      await follow(page, path);
      await page.getByText('Your role can only read this.').waitFor();
      expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    }
  }
});

testInBrowser(
  'a viewer reads why conversations, phones, new templates and parked rows cannot be opened',
  async () => {
    await fillOnce();
    const page = await enter('viewer');
    await follow(page, '/inbox');
    await page.getByText('Your role does not open conversations').waitFor();
    await follow(page, '/sms-templates/new');
    await page.getByText('Your role does not allow this').waitFor();
    await follow(page, '/parked');
    await page.getByText('You may not see this').waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('Messages');
    await follow(page, '/phone');
    await page.getByText('Type a whole number to open its phone.').waitFor();
    expect(await page.getByText('writes back').count()).toBe(0);
  },
);

testInBrowser('a template that waits for a review says so, and who decides', async () => {
  const { body } = await t.p.post('/v1/chatapp/createChatTemplate', {
    chatAccountId: 100_001,
    name: 'sale',
    category: 'MARKETING',
    language: 'en',
    components: [{ type: 'BODY', text: 'Our sale begins.' }],
  });
  const path = `/templates/${String(body['id'])}`;
  const editor = await enter('editor');
  await follow(editor, path);
  await editor.getByText('An admin of the account reviews it.').waitFor();

  const admin = await enter('admin');
  await follow(admin, path);
  await admin.getByText('cannot be sent until it is approved.').waitFor();
  expect(await admin.getByText('An admin of the account').count()).toBe(0);
  await admin.getByRole('button', { name: 'Approve' }).click();
  await admin.getByText('The template is approved.').waitFor();
  await editor.getByRole('link', { name: 'Send with it' }).waitFor();
});

testInBrowser('a conversation without messages says so', async () => {
  const page = await enter('editor');
  await follow(page, '/inbox?with=15550100001:919800000999');
  await page.getByText('No messages with this number yet.').waitFor();
});

testInBrowser('the search leads a viewer by a whole number, and to no masked one', async () => {
  await fillOnce();
  const page = await enter('viewer');
  const answered = page.waitForResponse((response) => response.url().includes('/v1/search?q=919800000100'));
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Search' }).fill('919800000100');
  expect(JSON.stringify(await (await answered).json())).toContain('***0100');

  await page.getByRole('button', { name: 'Messages to 919800000100' }).waitFor();
  await waitUntilLoaded(page);
  expect(await page.getByRole('dialog').innerText()).not.toMatch(/Messages to \*|Conversation with/);
});
