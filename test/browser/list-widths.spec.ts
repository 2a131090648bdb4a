import { randomUUIDv7 } from 'node:crypto';
import { expect } from '@jest/globals';
import { testInBrowser } from '@signalbox/test/browser';
import { follow, startSharedDashboard, waitUntilLoaded } from '@signalbox/test/dashboard';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Locator } from 'playwright-core';

const t = await startSharedDashboard();

/** Paths of the pages with a table; their lists are filled once. */
let paths: string[] | undefined;

const SMS = { sender: 'SIGNALBX', text: 'Your order has shipped.', type: 'PROMO' };

async function create(path: string, body: object): Promise<{ id: string }> {
  const answer = await t.p.post(path, body);
  expect([path, answer.body]).toMatchObject([path, { error: null }]);
  return (answer.body['data'] ?? answer.body) as { id: string };
}

/** Fills the lists of a company. @returns the paths of their pages */
async function fillLists(): Promise<string[]> {
  const endPoint = 'http://127.0.0.1:8099/reports/of/all/orders';
  const webhook = await create('/v1/webhooks', { name: 'Reports of all orders', endPoint });
  const campaign = { campaignName: 'Spring sale', clientRef: 'order-100' };
  await t.p.send('/v1/sms', { ...SMS, to: ['919800000100', '919812340001'], ...campaign });
  await waitFor(async () => (await t.query('SELECT FROM push_attempt')).length > 0, {
    otherwise: 'nothing was pushed',
  });
  await t.p.send('/v1/sms', {
    ...SMS,
    to: '919800000101',
    sendAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  await create('/v1/sms/templates', { name: 'receipt', text: 'We received your payment.' });
  await create('/v1/verify/configs', { name: 'sign-up', sender: 'SIGNALBX', text: 'Code {{code}}.' });
  await t.p.post('/v1/opt-outs', { recipient: '919800000109', source: 'support', reason: 'Asked by phone' });
  await create('/v1/chatapp/createChatTemplate', {
    chatAccountId: 100_001,
    name: 'spring_sale',
    category: 'MARKETING',
    language: 'en',
    components: [{ type: 'BODY', text: 'Our sale begins.' }],
  });
  for (const to of ['919800000112', '919800000002']) await t.p.send('/v1/sms', { ...SMS, type: 'OTP', to });
  await t.p.send('/v1/chatapp', {
    from: '15550100001',
    to: '919800000113',
    type: 'interactive',
    interactive: {
      type: 'button',
      body: { text: 'Is it urgent?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
    },
  });
  const pages = ['messages', 'sends', 'sms-templates', 'verification', 'opt-outs', 'templates'];
  return [...pages.map((page) => `/${page}`), '/webhooks', `/webhooks/${webhook.id}`];
}

/** Fills the lists of an admin and of operators. @returns the paths of their pages */
async function fillOperations(): Promise<string[]> {
  await create('/v1/api-keys', { name: 'The service of all orders', scopes: ['send', 'verify', 'webhooks'] });
  await create('/v1/users', { email: 'someone.else@company.example', name: 'Someone Else', role: 'editor' });
  await create('/v1/gateways', { name: 'carrier-1', channel: 'sms', kind: 'simulator', settings: {} });
  await create('/v1/routes', { name: 'all', match: {}, targets: [{ gateway: 'carrier-1' }] });
  await create('/v1/accounts', { name: 'Another company' });
  const idle = { name: 'idle', endPoint: 'http://127.0.0.1:8099/idle', filters: { sender: ['NOBODY'] } };
  await t.p.post(`/v1/webhooks/${(await create('/v1/webhooks', idle)).id}/disable`, {});
  await t.query(
    `INSERT INTO orphan_report (id, gateway, kind, gateway_message_id, wake_id, recipient, err_code, description,
                                reported_at)
     VALUES ($1, 'carrier-1', 'report', 'ab12cd34ef56', 'w', '919800000107', '000', 'Message delivered', now())`,
    [randomUUIDv7()],
  );
  await t.query(
    `UPDATE message
        SET status = 'PENDING', starts = 10, due_at = 'infinity', asks = NULL, claimed_until = now()
      WHERE recipient = '919800000100'`,
  );
  const pages = ['api-keys', 'users', 'chat-accounts', 'queues', 'lanes', 'parked', 'gateways', 'routes'];
  return [...pages, 'orphan-reports', 'endpoints', 'accounts', 'audit'].map((page) => `/${page}`);
}

/** An element of the page. */
interface Box {
  scrollWidth: number;
  clientWidth: number;
  querySelectorAll: (all: '*') => Iterable<Box>;
}

/** Runs in the page: true when a cell or a part of it is cut. */
const isCut = (cell: Box): boolean =>
  [cell, ...cell.querySelectorAll('*')].some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);

/**
 * Runs in the page: tables that are wider than their places, by pixels, buttons that their cells cut or whose texts are
 * cut, and headings of more than one line.
 */
const cutOf = (tables: string) => `[
  ...Array.from(document.querySelectorAll('main :is(${tables})'), ({ parentElement }) => parentElement)
    .map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    .filter((excess) => excess > 0),
  ...Array.from(document.querySelectorAll('main [role=cell] button'))
    .filter((button) => {
      const edge = button.closest('[role=cell]').getBoundingClientRect().right;
      return button.getBoundingClientRect().right > edge + 1;
    })
    .map(({ innerText }) => innerText),
  ...Array.from(document.querySelectorAll('main [role=cell] [data-variant=default] .mantine-Button-label'))
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map(({ innerText }) => innerText),
  ...Array.from(document.querySelectorAll('main [role=columnheader]'))
    .filter(({ clientHeight }) => clientHeight > 24)
    .map(({ innerText }) => innerText),
]`;

testInBrowser.each([
  [1440, '[role=table], table'],
  [1280, '[role=table], table'],
  [1024, '[role=table], table'],
  [375, '[role=table]'],
] as const)('at %i px no table is wider than its place, and buttons are whole', async (width, tables) => {
  paths ??= [...(await fillLists()), ...(await fillOperations())];
  const page = await t.open({ viewport: { width, height: 900 } });
  await t.signIn(page);
  for (const path of paths) {
    await follow(page, path);
    await page.locator('main :is([role=cell], td)').first().waitFor();
    await waitUntilLoaded(page);
    expect([path, await page.evaluate(cutOf(tables))]).toEqual([path, []]);
  }
});

testInBrowser.each([1440, 1280])(
  'at %i px types, reasons, and what gateways and webhooks are and return are whole',
  async (width) => {
    paths ??= [...(await fillLists()), ...(await fillOperations())];
    const page = await t.open({ viewport: { width, height: 900 } });
    await t.signIn(page);
    for (const [path, ...texts] of [
      ['/messages?recipient=919800000002', '002 Subscriber blocked'],
      ['/messages', 'SMS · OTP', 'Chat app · Interactive'],
      ['/sends', 'SMS · OTP', 'Chat app · Interactive'],
      ['/gateways', 'carrier-1', 'It sends nothing'],
      ['/webhooks', 'Reports of all orders', 'POST http://127.0.0.1:8099/reports/of/all/orders'],
      [paths.find((each) => each.startsWith('/webhooks/'))!, 'No connection'],
    ] as const) {
      await follow(page, path);
      for (const text of texts) {
        const cell = page.getByRole('cell').filter({ hasText: text }).first();
        expect([text, await cell.evaluate(isCut)]).toEqual([text, false]);
      }
    }
  },
);

/** Runs in the page: pixels between the middles of the time and of the change of a row. */
const OFF_LINE = `(() => {
  const row = document.querySelector('main [role=row]:has(.mantine-Button-label)');
  const [time, change] = ['time', '.mantine-Button-label'].map((part) => {
    const text = new Range();
    text.selectNodeContents(row.querySelector(part));
    const { top, height } = text.getBoundingClientRect();
    return top + height / 2;
  });
  return Math.abs(time - change);
})()`;

testInBrowser('a change in the audit log is on the line of its row', async () => {
  await t.p.post('/v1/opt-outs', { recipient: '919800000111' });
  const page = await t.open();
  await t.signIn(page, '/audit');
  await page
    .getByRole('cell')
    .getByRole('button', { name: /recipient/ })
    .first()
    .waitFor();

  expect(await page.evaluate(OFF_LINE)).toBeLessThan(3);
});

testInBrowser('columns that do not fit in a row are below it, with their labels', async () => {
  await t.p.post('/v1/opt-outs', { recipient: '919800000108', reason: 'Asked by phone' });
  const page = await t.open({ viewport: { width: 390, height: 900 } });
  await t.signIn(page, '/opt-outs?recipient=919800000108');
  const row = page.getByRole('row').filter({ hasText: '919800000108' });

  await row.getByRole('cell', { name: 'Reason Asked by phone' }).waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  await row.getByRole('cell', { name: 'Asked by phone', exact: true }).waitFor();
  expect(await page.getByRole('columnheader', { name: 'Reason' }).count()).toBe(1);
});

/** Runs in the page: true when the first letter of the Arabic text of a cell is in view. */
const SHOWS_FIRST_LETTER = `(() => {
  const cells = Array.from(document.querySelectorAll('main [role=cell]'));
  const cell = cells.find((each) => /^\\p{Script=Arabic}/u.test(each.innerText));
  const letter = new Range();
  letter.setStart(cell.firstChild, 0);
  letter.setEnd(cell.firstChild, 1);
  const [whole, part] = [cell, letter].map((each) => each.getBoundingClientRect());
  return part.left >= whole.left && part.right <= whole.right + 1;
})()`;

testInBrowser('an Arabic text of a list is cut at its end', async () => {
  const reason = 'طلب العميل عبر الهاتف إيقاف جميع الرسائل الترويجية '.repeat(6);
  await t.p.post('/v1/opt-outs', { recipient: '919800000110', reason });
  const page = await t.open();
  await t.signIn(page, '/opt-outs?recipient=919800000110');
  await page.getByRole('cell', { name: reason.trim() }).waitFor();

  expect(await page.evaluate(SHOWS_FIRST_LETTER)).toBe(true);
});

testInBrowser('a click on the lines below a row opens its page', async () => {
  await t.p.send('/v1/sms', { ...SMS, to: '919800000103' });
  const page = await t.open({ viewport: { width: 390, height: 900 } });
  await t.signIn(page, '/messages?recipient=919800000103');
  const label = page
    .getByRole('row')
    .filter({ hasText: '919800000103' })
    .getByText('Sender', { exact: true });

  const { x, y } = (await label.boundingBox())!;
  await page.mouse.click(x + 2, y + 2);

  await page.waitForURL(/\/messages\/[0-9a-f-]{36}/);
});

testInBrowser('a row grows for what is read after it', async () => {
  await create('/v1/webhooks', { name: 'first', endPoint: 'http://127.0.0.1:8099/first' });
  const page = await t.open({ viewport: { width: 390, height: 900 } });
  const release = Promise.withResolvers<void>();
  await page.route('**/v1/webhooks/health**', async (route) => {
    await release.promise;
    await route.continue();
  });
  await t.signIn(page, '/webhooks');
  const row = page.getByRole('row').filter({ hasText: '/first' });
  await row.waitFor();
  release.resolve();
  await row.getByText('Backlog').waitFor();
  const bottomOf = async (element: Locator): Promise<number> => {
    const { y, height } = (await element.boundingBox())!;
    return y + height;
  };

  await waitFor(async () => (await bottomOf(row.getByText('/first'))) < (await bottomOf(row)), {
    otherwise: 'the last line is below its row',
  });
});

/** Runs in the page: height of a line of the title of a dialog, in sizes of its letters. */
const LINES_OF_TITLE = `(() => {
  const { lineHeight, fontSize } = getComputedStyle(document.querySelector('[role=dialog] h2'));
  return parseFloat(lineHeight) / parseFloat(fontSize);
})()`;

testInBrowser('the lines of a long title of a dialog do not touch', async () => {
  const { id } = await create('/v1/sms/templates', { name: 'w'.repeat(100), text: 'Hello' });
  const page = await t.open();
  await t.signIn(page, `/sms-templates/${id}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('heading').waitFor();

  expect(await page.evaluate(LINES_OF_TITLE)).toBeGreaterThan(1.2);
});

testInBrowser('the request next to a scrolled form stays below the header', async () => {
  const page = await t.open({ viewport: { width: 1280, height: 500 } });
  await t.signIn(page, '/webhooks/add');
  const title = page.getByRole('heading', { name: 'The request that will be made' });
  await page.getByText('POST /').waitFor();

  await page.evaluate('scrollTo(0, 150)');

  const header = (await page.getByRole('banner').boundingBox())!;
  expect((await title.boundingBox())!.y).toBeGreaterThanOrEqual(header.y + header.height);
});

testInBrowser('the times of a replay have room for their hours', async () => {
  const { id } = await create('/v1/webhooks', {
    name: 'replayed',
    endPoint: 'http://127.0.0.1:8099/replayed',
    filters: { sender: ['NOBODY'] },
  });
  const page = await t.open();
  await t.signIn(page, `/webhooks/${id}`);
  await page.getByRole('button', { name: 'Replay…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replay deliveries' });
  await dialog.getByText('No delivery matches.').waitFor();

  // 11/29/2026, 10:51 PM, with the two buttons of the field
  const fields = await dialog.locator('input[type=datetime-local]').all();
  expect(fields).toHaveLength(2);
  for (const field of fields) expect((await field.boundingBox())!.width).toBeGreaterThan(240);
});

testInBrowser('a long name without spaces fits a narrow window', async () => {
  const name = 'w'.repeat(100);
  const { id } = await create('/v1/webhooks', { name, endPoint: 'http://127.0.0.1:8099/long' });
  const send = await t.p.send('/v1/sms', { ...SMS, to: '919800000104' });
  await waitFor(
    async () => (await t.query('SELECT FROM push_attempt WHERE webhook_id = $1', [id])).length > 0,
    { otherwise: 'nothing was pushed' },
  );
  const page = await t.open({ viewport: { width: 390, height: 900 } });
  await t.signIn(page, `/webhooks/${id}/edit`);
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);

  await follow(page, `/messages/${send}:1`);
  const event = page.getByText(`Push 1 to ${name}`).first();
  const { x, width } = (await event.boundingBox())!;
  expect(x + width).toBeLessThan(390);
  expect(await event.evaluate(isCut)).toBe(false);
});

testInBrowser('routes on a narrow window show their texts below their names, and move', async () => {
  const simulator = { channel: 'sms', kind: 'simulator', settings: {}, enabled: false };
  await create('/v1/gateways', { name: 'carrier-2', ...simulator });
  for (const country of ['JP', 'IN'])
    await create('/v1/routes', {
      name: country.toLowerCase(),
      match: { countries: [country] },
      targets: [{ gateway: 'carrier-2' }],
    });
  const page = await t.open({ viewport: { width: 390, height: 900 } });
  await t.signIn(page, '/routes');
  const row = page.getByRole('row').filter({ hasText: 'Country India' });
  const name = (await row.getByRole('link', { name: 'in' }).boundingBox())!;
  const takes = (await row.getByRole('cell', { name: 'Country India' }).boundingBox())!;

  expect(takes.y).toBeGreaterThan(name.y + name.height);
  expect(await page.evaluate(cutOf('table'))).toEqual([]);
  await row.getByRole('button', { name: 'Move up: in' }).click();
  await page.getByText('The order was saved.').waitFor();
});

testInBrowser('the figures of traffic are below its name on a narrow window, with their labels', async () => {
  await t.query(
    `INSERT INTO verification_conversion (account_id, dimension, value, hour, ended, verified, flagged, blocked)
     SELECT a.id, dimension, value, date_trunc('hour', now(), 'UTC'), 1234, ended, 12, 3
       FROM account a, (VALUES ('prefix', '91981234', 12), ('country', 'IN', 1200)) AS given (dimension, value, ended)
      WHERE a.name = 'Demo'`,
  );
  const page = await t.open({ viewport: { width: 390, height: 900 } });
  await t.signIn(page, '/verification');
  const guarded = page.getByRole('row').filter({ hasText: 'Country IN' });

  await guarded.getByRole('cell', { name: 'Codes 1,234' }).waitFor();
  await waitUntilLoaded(page);
  expect(await page.evaluate(cutOf('table'))).toEqual([]);
  await page.setViewportSize({ width: 1024, height: 900 });
  await guarded.getByRole('cell', { name: '1,234', exact: true }).waitFor();
  expect(await page.evaluate(cutOf('table'))).toEqual([]);
});

testInBrowser('the messages of a verification fit a narrow window', async () => {
  const { id } = await create('/v1/verify/configs', {
    name: 'one',
    sender: 'SIGNALBX',
    text: 'Code {{code}}.',
  });
  const { body } = await t.p.post('/v1/verify', { configId: id, to: '919800000100' });
  const page = await t.open({ viewport: { width: 390, height: 900 } });
  await t.signIn(page, `/verification/${String(body['data'])}`);

  await page.getByRole('cell', { name: 'SMS', exact: true }).waitFor();
  expect((await page.getByRole('table').boundingBox())!.width).toBeLessThan(390);
});
