import { expect } from '@jest/globals';
import { testInBrowser } from '@signalbox/test/browser';
import { follow, shoot, startSharedDashboard } from '@signalbox/test/dashboard';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Page } from 'playwright-core';

const t = await startSharedDashboard();

/** A form that changes something: how that is made, and where it is edited. */
interface Edited {
  path: string;
  body: object;
  /** Path of its form, by its id or name. */
  at: (id: string) => string;
  /** A field, and the value that the page stores in it. */
  own: [label: string, value: string, field: string, stored: unknown];
  /** Changes of somebody else while the form is open. */
  others: object;
}

const EDITED: Record<string, Edited> = {
  'push configuration': {
    path: '/v1/webhooks',
    body: { name: 'orders', endPoint: 'https://example.com/reports' },
    at: (id) => `/webhooks/${id}/edit`,
    own: ['Name', 'shipments', 'name', 'shipments'],
    others: { endPoint: 'https://example.com/moved' },
  },
  'SMS template': {
    path: '/v1/sms/templates',
    body: { name: 'order', text: 'Your order is on its way.', sender: 'SHOP' },
    at: (id) => `/sms-templates/${id}`,
    own: ['Name', 'shipped', 'name', 'shipped'],
    others: { text: 'Your order has shipped.', sender: 'STORE' },
  },
  configuration: {
    path: '/v1/verify/configs',
    body: { name: 'login', sender: 'SHOP' },
    at: (id) => `/verification/configs/${id}`,
    own: ['Name', 'signup', 'name', 'signup'],
    others: { codeLength: 8, maxAttempts: 3 },
  },
  gateway: {
    path: '/v1/gateways',
    body: { name: 'carrier-1', channel: 'sms', kind: 'simulator' },
    at: () => '/gateways/carrier-1/edit',
    own: ['Rate limit', '50', 'ratePerSecond', 50],
    others: { settings: { delayMs: 7 } },
  },
  route: {
    path: '/v1/routes',
    body: { name: 'all', targets: [{ gateway: 'carrier-1' }] },
    at: (id) => `/routes/${id}`,
    own: ['Priority', '7', 'priority', 7],
    others: { policy: { failoverAfterMs: 1000, resendUnconfirmed: true } },
  },
};

async function call(page: Page, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const request = JSON.stringify({ method, headers, ...(body && { body: JSON.stringify(body) }) });
  const answer = await page.evaluate<{ data: unknown; error: unknown }>(
    `fetch('${path}', ${request}).then((answer) => answer.json())`,
  );
  expect(answer.error).toBeNull();
  return answer.data;
}

testInBrowser('a form saves what it changed, and keeps what others changed meanwhile', async () => {
  const page = await t.open();
  await t.signIn(page);
  for (const { path, body, at, own, others } of Object.values(EDITED)) {
    const made = (await call(page, 'POST', path, body)) as { id: string; name: string };
    const key = path === '/v1/gateways' ? made.name : made.id;
    await page.goto(`/app${at(key)}`);
    const [label, value, field, stored] = own;
    const input = page.getByRole('main').getByLabel(label).first();
    await input.waitFor();
    await call(page, 'PATCH', `${path}/${key}`, others);

    await input.fill(value);
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await page.getByRole('button', { name: /^Save/ }).click();

    expect((await saved).status()).toBe(200);
    expect(await call(page, 'GET', `${path}/${key}`)).toMatchObject({ ...others, [field]: stored });
  }
});

testInBrowser('a page acts in no other account than the one that it shows', async () => {
  const page = await t.open();
  await t.signIn(page);
  const { id } = (await call(page, 'POST', '/v1/accounts', { name: 'Another account' })) as { id: string };
  await page.goto('/app/sms-templates/new');
  await page.getByRole('textbox', { name: 'Name' }).fill('astray');
  await page.getByRole('textbox', { name: 'Text' }).fill('Your order is on its way.');
  await call(page, 'PUT', '/v1/session/account', { accountId: id });

  await page.getByRole('button', { name: /^Save/ }).click();

  await page.getByText('The session now acts in another account').waitFor();
  expect(await t.query(`SELECT FROM sms_template WHERE name = 'astray'`)).toEqual([]);
  await page.reload();
  await page.getByRole('combobox', { name: 'Account' }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Account' }).inputValue()).toBe('Another account');
});

testInBrowser('unsaved input can be kept instead of a switch of the account', async () => {
  const page = await t.open();
  await t.signIn(page);
  await call(page, 'POST', '/v1/accounts', { name: 'Sister account' });
  await page.goto('/app/sms-templates/new');
  await page.getByRole('textbox', { name: 'Name' }).fill('stayed');
  await page.getByRole('textbox', { name: 'Text' }).fill('Your order is on its way.');
  const account = page.getByRole('combobox', { name: 'Account' });
  const before = await account.inputValue();
  const choose = async () => {
    await account.click();
    await page.getByRole('option', { name: 'Sister account' }).click();
  };

  await choose();
  await page.getByRole('button', { name: 'Stay' }).click();
  expect(await account.inputValue()).toBe(before);
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByRole('heading', { name: 'stayed' }).waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  expect(await account.inputValue()).toBe(before);

  await follow(page, '/sms-templates/new');
  await page.getByRole('textbox', { name: 'Name' }).fill('left');
  await choose();
  const loaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Leave' }).click();
  await loaded;
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  expect(await account.inputValue()).toBe('Sister account');
});

/** A form whose values may be read again while it is open. */
interface ReadAgain {
  path: string;
  resource: string;
  /** A field, and the value that the page stores in it. */
  own: [label: string, value: string, field: string, stored: unknown];
  /** Value that somebody else stores in that field. */
  theirs: unknown;
  /** A change of another field, and how that shows it. */
  others: object;
  shown: [label: string, value: string];
}

const READ_AGAIN: ReadAgain[] = [
  {
    path: '/verification',
    resource: '/v1/verify/policy',
    own: ['Judged from this many codes in 24 hours', '77', 'minSends', 77],
    theirs: 66,
    others: { minConversionPercent: 33 },
    shown: ['Suspect below this conversion (percent)', '33'],
  },
  {
    path: '/chat-accounts/100001',
    resource: '/v1/chat-accounts/100001',
    own: ['Name', 'Renamed', 'name', 'Renamed'],
    theirs: 'Shop',
    others: { sessionWindow: 'enforce' },
    shown: ['Messages outside the 24-hour window', 'Send only templates'],
  },
];

/** Lets a page read again what it shows, as when its tab is shown again later. */
async function readAgain(page: Page, resource: string): Promise<void> {
  const read = page.waitForResponse((answer) => answer.url().endsWith(resource));
  await page.clock.fastForward(10_000);
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  await (await read).finished();
}

async function untilShown(page: Page, label: string, value: string): Promise<void> {
  const field = page.getByRole('main').getByLabel(label).first();
  const isShown = async () => (await field.inputValue()) === value;
  await waitFor(isShown, { otherwise: `the form does not show ${value}` });
}

testInBrowser('a form keeps its input when what it edits is read again', async () => {
  const page = await t.open();
  await page.clock.install();
  await t.signIn(page);
  for (const { path, resource, own, others, shown } of READ_AGAIN) {
    const [label, value, field, stored] = own;
    await follow(page, path);
    const input = page.getByRole('textbox', { name: label });
    await input.fill(value);
    await call(page, 'PATCH', resource, others);
    await readAgain(page, resource);

    expect(await input.inputValue()).toBe(value);
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await page.getByRole('main').getByRole('button', { name: /^Save/ }).first().click();
    expect((await saved).status()).toBe(200);
    expect(await call(page, 'GET', resource)).toMatchObject({ ...others, [field]: stored });
    await untilShown(page, ...shown);
  }
});

testInBrowser('a form without input shows what others have saved', async () => {
  const page = await t.open();
  await page.clock.install();
  await t.signIn(page);
  for (const { path, resource, own, theirs } of READ_AGAIN) {
    const [label, , field] = own;
    await follow(page, path);
    await page.getByRole('textbox', { name: label }).waitFor();
    await call(page, 'PATCH', resource, { [field]: theirs });
    await readAgain(page, resource);

    await untilShown(page, label, String(theirs));
  }
});

testInBrowser('a number that was emptied is asked for, and not saved as 0', async () => {
  const page = await t.open();
  await t.signIn(page, '/verification/configs/add');
  await page.getByRole('textbox', { name: 'Name' }).fill('emptied');
  const length = page.getByRole('textbox', { name: 'Length of the code' });
  await length.fill('');

  await page.getByRole('button', { name: 'Save' }).click();

  await page.getByText('Enter a number.').waitFor();
  await shoot(page, 'number-emptied');
  expect(await length.inputValue()).toBe('');
  await page.locator('input:focus').and(length).waitFor();
  await length.fill('8');
  await page.getByRole('textbox', { name: 'Sender of SMS' }).fill('SHOP');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Verification', level: 1 }).waitFor();
  expect(await t.query(`SELECT code_length FROM verification_config WHERE name = 'emptied'`)).toEqual([
    { code_length: 8 },
  ]);
});

/** Forms of something whose name or address is taken: what has it, the page, its input, and the field. */
const TAKEN = [
  {
    calls: '/v1/webhooks',
    body: { name: 'taken', endPoint: 'https://example.com/reports' },
    at: '/webhooks/add',
    values: { Name: 'taken', 'End Point': 'https://example.com/' },
    submit: 'Add Configuration',
    wrong: 'Name',
  },
  {
    calls: '/v1/sms/templates',
    body: { name: 'taken', text: 'Thank you.' },
    at: '/sms-templates/new',
    values: { Name: 'taken', Text: 'Thank you.' },
    submit: 'Save',
    wrong: 'Name',
  },
  {
    calls: '/v1/users',
    body: { email: 'taken@shop.example', name: 'Asha', role: 'editor' },
    at: '/users',
    opener: 'Invite user',
    values: { 'E-mail address': 'taken@shop.example', Name: 'Asha' },
    submit: 'Invite user',
    wrong: 'E-mail address',
  },
];

testInBrowser('a taken name is marked at its field, until it is changed', async () => {
  for (const { calls, body, at, opener, values, submit, wrong } of TAKEN) {
    await t.p.post(calls, body);
    const page = await t.open();
    await t.signIn(page, at);
    if (opener !== undefined) await page.getByRole('button', { name: opener }).click();
    const form = opener === undefined ? page.getByRole('main') : page.getByRole('dialog');
    for (const [label, value] of Object.entries(values)) await form.getByLabel(label).first().fill(value);
    await form.getByRole('button', { name: submit }).click();
    await page.locator('[aria-invalid=true]:focus').and(form.getByLabel(wrong)).waitFor();

    await form.getByLabel(wrong).fill('other@shop.example');
    await page.locator('[aria-invalid=true]').waitFor({ state: 'detached' });
  }
});
