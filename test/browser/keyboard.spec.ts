import { expect } from '@jest/globals';
import { testInBrowser } from '@signalbox/test/browser';
import { follow, startSharedDashboard, waitUntilLoaded } from '@signalbox/test/dashboard';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Page } from 'playwright-core';

const t = await startSharedDashboard();

/** The element with the focus, as a person would name it. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const { tagName, innerText, ariaLabel } = document.activeElement;
    return tagName + ' ' + (ariaLabel ?? innerText.split('\\n')[0]);
  })()`);

async function untilFocused(page: Page, name: string): Promise<void> {
  let last = '';
  const isThere = async (): Promise<boolean> => (last = await focused(page)) === name;
  await waitFor(isThere, { otherwise: () => `the focus is on ${last} instead of ${name}` });
}

testInBrowser('a link of the menu, a row and the search lead the focus to the heading', async () => {
  const page = await t.open();
  await t.signIn(page);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('A Skip to the page');
  expect((await page.getByText('Skip to the page').boundingBox())!.y).toBeGreaterThanOrEqual(0);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true);

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Queues' }).press('Enter');
  await untilFocused(page, 'H1 Queues');
  await page.getByRole('link', { name: 'sms-promo' }).press('Enter');
  await untilFocused(page, 'H1 sms-promo');
  await page.goBack();
  await untilFocused(page, 'H1 Queues');
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Search' }).fill('push configuration');
  await page.getByRole('button', { name: /DLR Push Configuration/ }).waitFor();
  await page.keyboard.press('Enter');
  await untilFocused(page, 'H1 DLR Push Configuration');
});

testInBrowser('after Clear filters the next Tab leads to the first filter', async () => {
  const page = await t.open();
  await t.signIn(page, '/templates?name=order');

  await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
  await page.waitForURL((url) => !url.searchParams.has('name'));
  await page.getByRole('button', { name: 'Clear filters' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Tab');

  await untilFocused(page, 'INPUT Exact name');
});

testInBrowser('the search opens from a field by Control K, and gives the focus back', async () => {
  const page = await t.open();
  await t.signIn(page, '/webhooks/add');
  await page.getByRole('textbox', { name: 'Name' }).fill('orders/');
  await page.keyboard.press('/');
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('orders//');
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Search' }).waitFor();
  await page.keyboard.press('Escape');
  await page
    .locator('input:focus')
    .and(page.getByRole('textbox', { name: 'Name' }))
    .waitFor();
});

testInBrowser('the search keeps what is typed before its field is there', async () => {
  const page = await t.open();
  await t.signIn(page);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  const field = page.getByRole('textbox', { name: 'Search' });

  await page.keyboard.type('/9198000');
  await field.waitFor();
  await waitFor(async () => (await field.inputValue()) === '9198000', {
    otherwise: 'the search lost characters',
  });

  await page.keyboard.press('Control+k');
  await page.keyboard.type('00100');
  expect(await field.inputValue()).toBe('919800000100');
});

/** Buttons that open something, by page; they close it by Escape. */
const OPENERS: [path: string, button: string][] = [
  ['/api-keys', 'Create key'],
  ['/users', 'Invite user'],
  ['/opt-outs', 'Add opt-outs'],
  ['/accounts', 'Create account'],
  ['/chat-accounts', 'New chat account'],
  ['/queues/sms-promo', 'Pause'],
  ['/queues', 'Columns'],
  ['/messages', 'More filters'],
  ['/', 'Your menu'],
];

testInBrowser('what a button opens takes the focus, and Escape gives it back', async () => {
  const page = await t.open();
  await t.signIn(page);
  for (const [path, name] of OPENERS) {
    await follow(page, path);
    const opener = page.getByRole('button', { name, exact: true }).first();
    await opener.focus();
    await page.keyboard.press('Enter');
    const opened = page.locator('[role=dialog], [role=menu]').first();
    await opened.waitFor();
    await page
      .locator('[role=dialog] :focus, [role=menu] :focus, [role=menu]:focus, [role=dialog]:focus')
      .waitFor({ state: 'attached' });
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'hidden' });
    await page.locator('button:focus').and(opener).waitFor();
  }
});

/** Dialogs, by page and button, with the label of their first field or button. */
const DIALOGS: [path: string, button: string, first: string][] = [
  ['/api-keys', 'Create key', 'Name'],
  ['/users', 'Invite user', 'E-mail address'],
  ['/opt-outs', 'Add opt-outs', 'Numbers'],
  ['/accounts', 'Create account', 'Name'],
  ['/chat-accounts', 'New chat account', 'Name'],
  ['/gateways/carrier-1', 'Send test message', 'Sender'],
  ['/webhooks/:id', 'Replay…', 'Exhausted'],
  ['/webhooks/:id', 'Send test', 'Send test'],
];

testInBrowser('a dialog begins in its first field, and gives the focus back to its button', async () => {
  await t.p.post('/v1/gateways', { name: 'carrier-1', channel: 'sms', kind: 'simulator', settings: {} });
  const { body } = await t.p.post('/v1/webhooks', { name: 'reports', endPoint: 'http://127.0.0.1:8099/' });
  const { id } = body['data'] as { id: string };
  const page = await t.open();
  await t.signIn(page);
  for (const [path, name, first] of DIALOGS) {
    await follow(page, path.replace(':id', id));
    const opener = page.getByRole('button', { name, exact: true });
    await opener.press('Enter');
    const dialog = page.getByRole('dialog');
    const field = dialog
      .getByLabel(first)
      .or(dialog.getByRole('button', { name: first }))
      .first();
    await page.locator(':focus').and(field).waitFor();
    await page.keyboard.press('Escape');
    await page.locator(':focus').and(opener).waitFor();
  }
});

testInBrowser('a secret that was copied gives the focus back to the page', async () => {
  const page = await t.open();
  await t.signIn(page, '/api-keys');
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Create key' }).press('Enter');
  await dialog.getByLabel('Name').fill('Shop');
  await dialog.getByRole('button', { name: 'Create key' }).press('Enter');
  await untilFocused(page, 'BUTTON Copy API key'); // the dialog takes the focus a moment after it opens
  await page.getByRole('button', { name: 'I have copied it' }).press('Enter');
  await untilFocused(page, 'BUTTON Create key');

  // its row loses the button
  await page.getByRole('button', { name: 'Rotate' }).first().press('Enter');
  await dialog.getByRole('button', { name: 'Rotate' }).press('Enter');
  await untilFocused(page, 'BUTTON Copy API key');
  await page.getByRole('button', { name: 'I have copied it' }).press('Enter');
  await untilFocused(page, 'H1 API keys');
});

testInBrowser('a button has the focus again when its call has ended', async () => {
  const page = await t.open();
  await t.signIn(page, '/sms-templates/new');
  const answer = { code: 'rate_limited', message: 'Too many requests.', details: [], retryable: true };
  await page.route('**/v1/sms/templates', (route) => route.fulfill({ status: 429, json: { error: answer } }));
  await page.getByLabel('Name').fill('receipt');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByRole('alert').getByText('Too many requests.').waitFor();
  await untilFocused(page, 'BUTTON Save');

  await follow(page, '/queues/sms-promo');
  await page.getByRole('button', { name: 'Leave', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Pause', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Pause the queue' }).press('Enter');
  await untilFocused(page, 'BUTTON Resume');
  await page.getByRole('button', { name: 'Resume' }).press('Enter');
  await untilFocused(page, 'BUTTON Pause');
});

testInBrowser('a time is typed and cleared by keys, and its field keeps the focus', async () => {
  const page = await t.open();
  await t.signIn(page, '/send');
  const field = page.getByLabel('Send at', { exact: true });
  const clear = page.getByRole('button', { name: 'Clear Send at' });

  await field.focus();
  await page.keyboard.type('12312099');
  await page.keyboard.press('Tab');
  await page.keyboard.type('0930A');
  expect(await field.inputValue()).toBe('2099-12-31T09:30');
  await clear.press('Enter');

  expect(await field.inputValue()).toBe('');
  await page.locator(':focus').and(field).waitFor();
});

/**
 * Runs in the page, after a key: focuses each control, and names those that look the same with the focus and without it.
 */
const UNMARKED = `(() => {
  const look = (element) => [element, element.parentElement, element.parentElement.parentElement]
    .flatMap((each) => [getComputedStyle(each), getComputedStyle(each, '::after')])
    .concat(element.nextElementSibling ? [getComputedStyle(element.nextElementSibling)] : [])
    .map(({ outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor }) =>
      [outlineStyle, outlineStyle === 'none' ? '' : outlineWidth, boxShadow, borderColor, backgroundColor].join())
    .join();
  const controls = document.querySelectorAll('a[href], button, input, select, textarea, [tabindex="0"]');
  return Array.from(controls)
    .filter((each) => each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true }) && !each.disabled)
    .filter((each) => {
      document.activeElement.blur();
      const before = look(each);
      each.focus();
      return document.activeElement === each && look(each) === before;
    })
    .map(({ outerHTML }) => outerHTML.slice(0, 160));
})()`;

const PAGES = [
  '/',
  '/send',
  '/messages',
  '/sends',
  '/templates',
  '/templates/new',
  '/templates/new?kind=marketing_text',
  '/sms-templates/new',
  '/verification/configs/add',
  '/opt-outs',
  '/usage',
  '/phone?number=919800000100',
  '/inbox',
  '/webhooks/add',
  '/api-keys',
  '/users',
  '/senders',
  '/chat-accounts',
  '/queues',
  '/queues/sms-promo',
  '/lanes',
  '/parked',
  '/gateways',
  '/gateways/add',
  '/routes/add',
  '/orphan-reports',
  '/accounts',
  '/audit',
  '/system',
  '/profile',
];

testInBrowser.each(['light', 'dark'] as const)('each control shows the focus in %s', async (colorScheme) => {
  await t.p.post('/v1/sms', { sender: 'SHOP', to: '919800000100', text: 'Hello', type: 'TRANS' });
  const page = await t.open({ colorScheme });
  await t.signIn(page);
  for (const path of PAGES) {
    await follow(page, path);
    await waitUntilLoaded(page);
    await page.keyboard.press('Tab');
    expect([path, await page.evaluate(UNMARKED)]).toEqual([path, []]);
  }
});
