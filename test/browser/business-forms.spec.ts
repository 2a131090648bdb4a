import { beforeAll, expect } from '@jest/globals';
import { testInBrowser } from '@signalbox/test/browser';
import {
  follow,
  forgetOutage,
  setPassword,
  signInAgain,
  startSharedDashboard,
} from '@signalbox/test/dashboard';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Locator, Page, Request } from 'playwright-core';

const PASSWORD = 'a long password of the owner';
const t = await startSharedDashboard();

/** Values by the labels of their text fields. */
type Values = Record<string, string>;

/** A form: where it is, what it is filled with, and what it stores. */
interface BusinessForm {
  /** Path of its page. */
  at: string;
  /** Button that opens its dialog, which a secret follows. */
  opener?: string;
  good: Values;
  /** A field and a value that the api refuses. */
  wrong: [label: string, value: string];
  /** Does what text fields cannot. */
  prepare?: (page: Page) => Promise<unknown>;
  submit: string;
  /** Button of the question before the call. */
  confirm?: string;
  /** Path of the call. */
  calls: string;
  /** Finds the rows that it made. */
  rows: string;
  /** Heading of the page that follows. */
  next: string;
}

const BULK = ['phone', ...Array.from({ length: 40 }, (_, i) => `${919820000000 + i}`)].join('\n');

const FORMS: Record<string, BusinessForm> = {
  'push configuration': {
    at: '/webhooks/add',
    good: { Name: 'orders', 'End Point': 'https://example.com/reports', 'Key 1': 'X-Order' },
    wrong: ['End Point', 'not an address'],
    submit: 'Add Configuration',
    calls: '/v1/webhooks',
    rows: `SELECT id FROM webhook WHERE name = 'orders'`,
    next: 'orders',
  },
  'chat template': {
    at: '/templates/new?kind=utility_simple',
    good: { Name: 'order_left', 'Body text': 'Your order has left our house.' },
    wrong: ['Name', 'ordre_été'],
    submit: 'Submit for review',
    calls: '/v1/chatapp/createChatTemplate',
    rows: `SELECT id FROM template WHERE name = 'order_left'`,
    next: 'order_left',
  },
  'SMS template': {
    at: '/sms-templates/new',
    good: { Name: 'receipt', Text: 'We received your payment.', Sender: 'SHOP' },
    wrong: ['Sender', 'no such sender at all'],
    submit: 'Save',
    calls: '/v1/sms/templates',
    rows: `SELECT id FROM sms_template WHERE name = 'receipt'`,
    next: 'receipt',
  },
  send: {
    at: '/send',
    good: { Recipients: '919800000100', Sender: 'SHOP', Text: 'Your order has left.', Campaign: 'single' },
    wrong: ['Sender', '@@@'],
    submit: 'Send',
    confirm: 'Send 1',
    calls: '/v1/sms',
    rows: `SELECT id FROM submission WHERE campaign = 'single'`,
    next: 'Send from SHOP',
  },
  bulk: {
    at: '/send',
    good: { Sender: 'SHOP', Text: 'The sale begins.', Campaign: 'bulk' },
    wrong: ['Sender', '@@@'],
    prepare: (page) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(BULK) }),
    submit: 'Send',
    confirm: 'Send 40',
    calls: '/v1/sms',
    rows: `SELECT id FROM submission WHERE campaign = 'bulk'`,
    next: 'Send from SHOP',
  },
  'verification configuration': {
    at: '/verification/configs/add',
    good: { Name: 'sign-up', 'Sender of SMS': 'SHOP', 'Text of SMS': 'Your code is {{code}}.' },
    wrong: ['Text of SMS', 'no place for the code'],
    submit: 'Save',
    calls: '/v1/verify/configs',
    rows: `SELECT id FROM verification_config WHERE name = 'sign-up'`,
    next: 'Verification',
  },
  'API key': {
    at: '/api-keys',
    opener: 'Create key',
    good: { Name: 'Shop' },
    wrong: ['Name', ''],
    prepare: (page) => page.getByRole('checkbox', { name: 'templates' }).check(),
    submit: 'Create key',
    calls: '/v1/api-keys',
    rows: `SELECT id FROM api_key WHERE name = 'Shop'`,
    next: 'API keys',
  },
  'user invite': {
    at: '/users',
    opener: 'Invite user',
    good: { 'E-mail address': 'asha@example.com', Name: 'Asha' },
    wrong: ['E-mail address', 'asha'],
    submit: 'Invite user',
    calls: '/v1/users',
    rows: `SELECT id FROM app_user WHERE name = 'Asha'`,
    next: 'Users',
  },
  gateway: {
    at: '/gateways/add',
    good: { Name: 'carrier-9', Host: 'smsc.example.com', 'System id': 'signal', Password: 'secret' },
    wrong: ['Name', 'Carrier 9'],
    prepare: (page) => page.getByRole('checkbox', { name: 'Enabled' }).uncheck(),
    submit: 'Add gateway',
    calls: '/v1/gateways',
    rows: `SELECT id FROM gateway WHERE name = 'carrier-9'`,
    next: 'carrier-9',
  },
  route: {
    at: '/routes/add',
    good: { Name: 'india' },
    wrong: ['Name', 'India!'],
    prepare: async (page) => {
      await page.getByRole('combobox', { name: 'Gateway', exact: true }).click();
      await page.getByRole('option', { name: 'carrier-9' }).click();
    },
    submit: 'Add route',
    calls: '/v1/routes',
    rows: `SELECT id FROM route WHERE name = 'india'`,
    next: 'Routes',
  },
};

/** A form that asks before it is left: where it is, its input, and its rows once that is saved. */
type SmallForm = Pick<BusinessForm, 'at' | 'opener' | 'good' | 'submit' | 'rows'> & {
  /** Shows on its page that it was saved. */
  saved: (page: Page) => Locator;
};

const SMALL_FORMS: Record<string, SmallForm> = {
  account: {
    at: '/accounts',
    opener: 'Create account',
    good: { Name: 'Subsidiary' },
    submit: 'Create account',
    rows: `SELECT id FROM account WHERE name = 'Subsidiary'`,
    saved: (page) => page.getByText('Subsidiary', { exact: true }),
  },
  'opt-outs': {
    at: '/opt-outs',
    opener: 'Add opt-outs',
    good: { Numbers: '919800000107', Reason: 'by phone' },
    submit: 'Add 1',
    rows: `SELECT recipient FROM opt_out WHERE recipient = '919800000107'`,
    saved: (page) => page.getByRole('row').getByText('919800000107'),
  },
  'chat account': {
    at: '/chat-accounts',
    opener: 'New chat account',
    good: { Name: 'Second shop' },
    submit: 'New chat account',
    rows: `SELECT id FROM chat_account WHERE name = 'Second shop'`,
    saved: (page) => page.getByRole('heading', { name: 'Second shop' }),
  },
  'settings of a chat account': {
    at: '/chat-accounts/100001',
    good: { Name: 'Renamed shop' },
    submit: 'Save',
    rows: `SELECT id FROM chat_account WHERE name = 'Renamed shop'`,
    saved: (page) => page.getByRole('heading', { name: 'Renamed shop' }),
  },
  reply: {
    at: '/inbox?with=15550100001:919800000108',
    good: { Reply: 'It leaves today.' },
    submit: 'Send',
    rows: `SELECT id FROM submission WHERE recipients = '{919800000108}'`,
    saved: (page) => page.getByRole('log').getByText('It leaves today.'),
  },
};

const field = (page: Page, label: string): Locator =>
  page
    .getByRole('textbox', { name: label, exact: true })
    .or(page.getByLabel(label, { exact: true }))
    .first();

async function fill(page: Page, values: Values): Promise<void> {
  for (const [label, value] of Object.entries(values)) await field(page, label).fill(value);
}

async function expectValues(page: Page, values: Values): Promise<void> {
  for (const [label, value] of Object.entries(values))
    expect([label, await field(page, label).inputValue()]).toEqual([label, value]);
}

/** Presses the button that makes the call, twice and quickly. */
async function submit(
  page: Page,
  { opener, submit: name, confirm }: Pick<BusinessForm, 'opener' | 'submit' | 'confirm'>,
): Promise<void> {
  const form = opener === undefined ? page.getByRole('main') : page.getByRole('dialog');
  const confirmation = page.getByRole('dialog').getByRole('button', { name: confirm ?? '', exact: true });
  const isAsked = confirm !== undefined && (await confirmation.isVisible());
  if (!isAsked && confirm !== undefined)
    await form.getByRole('button', { name, exact: true }).dispatchEvent('click');
  const button = confirm === undefined ? form.getByRole('button', { name, exact: true }) : confirmation;
  // two clicks without a pause, which also come when a person clicks twice on a slow computer
  await button.evaluate((each: { click: () => void }) => {
    each.click();
    each.click();
  });
}

/** Leaves the form as people do, and stays when the page asks. */
async function leaveAndStay(page: Page, { opener }: Pick<BusinessForm, 'opener'>): Promise<void> {
  if (opener === undefined)
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
  else await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await question.waitFor({ state: 'hidden' });
}

/** Lets the next call reach the api, and loses its answer. */
async function loseAnswer(page: Page, path: string): Promise<void> {
  await page.route(
    (url) => url.pathname === path && url.search === '',
    async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      await route.fetch();
      return route.abort();
    },
  );
}

const count = async (sql: string): Promise<number> => (await t.query(sql)).length;

beforeAll(async () => {
  if (!t) return;
  const page = await t.open();
  await t.signIn(page);
  await setPassword(page, PASSWORD);
});

testInBrowser.each(Object.entries(FORMS))(
  'the form of %s keeps its input when a save fails or the session ended, and makes one row',
  async (name, form) => {
    const page = await t.open();
    await t.signIn(page);
    const calls: Request[] = [];
    const note = (request: Request): void => {
      const { pathname, search } = new URL(request.url());
      if (request.method() === 'POST' && pathname === form.calls && search === '') calls.push(request);
    };
    page.on('request', note);
    await follow(page, form.at);
    if (form.opener !== undefined) await page.getByRole('button', { name: form.opener }).first().click();
    await form.prepare?.(page);
    const [label, value] = form.wrong;
    const wrong = { ...form.good, [label]: value };
    await fill(page, wrong);

    await submit(page, form);
    await page.locator('[aria-invalid=true]:focus').waitFor();
    expect([name, calls.length]).toEqual([name, 1]);
    await page.locator(':focus').and(field(page, label)).waitFor();
    expect(await page.getByRole('alert').first().innerText()).not.toBe('');
    await expectValues(page, wrong);

    await field(page, label).fill(form.good[label]!);
    await page.locator('[aria-invalid=true], [role=alert]').first().waitFor({ state: 'detached' });
    await leaveAndStay(page, form);
    await expectValues(page, form.good);

    await t.query('DELETE FROM user_session');
    await submit(page, form);
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await page.keyboard.press('Escape');
    await signInAgain(page, PASSWORD);
    await expectValues(page, form.good);
    expect([name, await count(form.rows)]).toEqual([name, 0]);

    await loseAnswer(page, form.calls);
    await submit(page, form);
    await page.getByText('Signalbox cannot be reached.').first().waitFor();
    await expectValues(page, form.good);
    expect([name, await count(form.rows)]).toEqual([name, 1]);

    await page.unrouteAll();
    const answered = page.waitForResponse((each) => calls.includes(each.request()) && each.ok());
    await submit(page, form);
    expect((await answered).headers()['idempotent-replayed']).toBe('true');
    expect([name, await count(form.rows), calls.length]).toEqual([name, 1, 4]);
    page.off('request', note);
    await page.getByRole('heading', { name: form.next, level: 1 }).waitFor();
    if (form.opener !== undefined) await page.getByRole('button', { name: 'I have copied it' }).click();
    await waitFor(async () => (await page.getByRole('dialog').count()) === 0, {
      otherwise: 'a dialog stays',
    });
    forgetOutage(t);
  },
);

testInBrowser(
  'the forms of accounts, opt-outs and replies ask before they are left, and save once',
  async () => {
    await t.p.post('/v1/simulator/inbound', {
      from: '919800000108',
      to: '15550100001',
      channel: 'chatapp',
      type: 'text',
      text: { body: 'When does it leave?' },
    });
    const page = await t.open();
    await t.signIn(page);
    for (const [name, form] of Object.entries(SMALL_FORMS)) {
      await follow(page, form.at);
      if (form.opener !== undefined) await page.getByRole('button', { name: form.opener }).first().click();
      await fill(page, form.good);

      await leaveAndStay(page, form);
      await expectValues(page, form.good);
      expect([name, await count(form.rows)]).toEqual([name, 0]);
      await submit(page, form);
      await waitFor(async () => (await count(form.rows)) === 1, { otherwise: `${name} was not saved` });
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await form.saved(page).first().waitFor();
      await page.locator('[data-loading]').waitFor({ state: 'detached' }); // then its input is saved
      await follow(page, '/');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    }
  },
);

testInBrowser('a new password and a text on the phone ask before they are left', async () => {
  const number = '919800000110';
  await t.p.post('/v1/simulator/inbound', {
    from: number,
    to: '15550100001',
    channel: 'chatapp',
    type: 'text',
    text: { body: 'Hello' },
  });
  const page = await t.open();
  await t.signIn(page);
  for (const [path, label] of [
    ['/profile', 'New password'],
    [`/phone?number=${number}`, 'Reply'],
  ] as const) {
    await follow(page, path);
    await fill(page, { [label]: 'not saved' });
    await leaveAndStay(page, {});
    await expectValues(page, { [label]: 'not saved' });
    await fill(page, { [label]: '' });
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  }
});

testInBrowser('a reply whose answer was lost is sent once', async () => {
  const from = '919800000109';
  const hi = { type: 'text', text: { body: 'Hi' } };
  await t.p.post('/v1/simulator/inbound', { from, to: '15550100001', channel: 'sms', ...hi });
  const page = await t.open();
  await t.signIn(page, `/inbox?with=15550100001:${from}`);
  await field(page, 'Reply').fill('Hello');

  await loseAnswer(page, '/v1/sms');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Signalbox cannot be reached.').first().waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('The message was accepted.').waitFor();

  await waitFor(async () => (await field(page, 'Reply').inputValue()) === '', {
    otherwise: 'the sent text stayed',
  });
  expect(await count(`SELECT id FROM submission WHERE recipients = '{${from}}'`)).toBe(1);
  forgetOutage(t);
});
