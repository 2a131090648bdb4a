import { afterAll, expect } from '@jest/globals';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { testInBrowser } from '@signalbox/test/browser';
import {
  follow,
  forgetOutage,
  shoot,
  startSharedDashboard,
  waitUntilLoaded,
} from '@signalbox/test/dashboard';
import { PAGES } from '@signalbox/test/pages';
import { startReceiver } from '@signalbox/test/receiver';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Locator, Page } from 'playwright-core';

const t = await startSharedDashboard({ env: { RATE_LIMIT_PER_MINUTE: '100000' } });
const receiver = await startReceiver();
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
});

/** State of the server, as the browser meets it. */
type Server = 'up' | 'unreachable' | 503;

const REFUSAL = { code: 'unavailable', message: 'The service is temporarily unavailable.', details: [] };

/** Puts a switch between a page and the server. */
async function putSwitch(page: Page): Promise<(to: Server) => void> {
  let state: Server = 'up';
  await page.context().route('**/*', (route) => {
    if (state === 'unreachable') return route.abort();
    const isCall = new URL(route.request().url()).pathname.startsWith('/v1/');
    return state === 503 && isCall
      ? route.fulfill({ status: 503, json: { error: REFUSAL } })
      : route.continue();
  });
  return (to) => {
    state = to;
  };
}

/** Lets time pass until a place has a state: the retries of a failed call take seconds. */
async function passUntil(page: Page, place: Locator, state: 'visible' | 'detached'): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    await page.clock.fastForward(6_000);
    const isThere = await place.waitFor({ state, timeout: 100 }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
  await place.waitFor({ state, timeout: 1 });
}

/** The headings, rows and fields of a page. */
interface Shape {
  headings: string[];
  rows: number;
  fields: number;
}

async function shapeOf(page: Page): Promise<Shape> {
  const main = page.getByRole('main');
  return {
    headings: await main.getByRole('heading').allInnerTexts(),
    rows: await main.getByRole('row').count(),
    fields: await main.getByRole('textbox').count(),
  };
}

/** Counts the lists that are wider than their frame, so that a laptop shows only some of their columns. */
function countCutLists(page: Page): Promise<number> {
  return page
    .getByRole('main')
    .getByRole('table')
    .evaluateAll(
      (lists) => lists.filter((list) => list.scrollWidth > (list.parentElement?.clientWidth ?? 0)).length,
    );
}

/** Names what a page has lost. */
function lostOf(before: Shape, after: Shape): string[] {
  const headings = before.headings.filter((heading) => !after.headings.includes(heading));
  const counts = (['rows', 'fields'] as const).filter((kind) => after[kind] < before[kind]);
  return [...headings, ...counts];
}

/** Creates a row by the API. @returns its id */
async function create(path: string, body: object): Promise<string> {
  const { id, data } = (await t.p.post(path, body)).body as { id?: string; data?: { id: string } };
  return id ?? data!.id;
}

async function hasCounted(): Promise<boolean> {
  const { data } = (await t.p.get('/v1/stats/messages')).body as { data: { total: { delivered: number } } };
  return data.total.delivered > 0;
}

/** True once the send and the code are delivered. */
async function areDelivered(): Promise<boolean> {
  return (await t.query(`SELECT FROM message WHERE status = 'DELIVERED'`)).length === 2;
}

/** Waits until a push of a webhook is stored, which is after its endpoint was called. @returns its id */
async function pushOf(webhook: string): Promise<string> {
  let reports: { id: string }[] = [];
  await waitFor(
    async () => {
      reports = await t.query('SELECT report_id AS id FROM push WHERE webhook_id = $1', [webhook]);
      return reports.length > 0;
    },
    { otherwise: 'no push was stored' },
  );
  return deliveryId(reports[0]!.id, webhook);
}

/** Creates rows for every page. @returns the pages by path, with their headings */
async function setUp(): Promise<Record<string, string>> {
  const webhook = await create('/v1/webhooks', { name: 'orders', endPoint: receiver.url });
  const sms = { sender: 'SHOP', to: '919800000100', text: 'Hello', type: 'TRANS' };
  const send = await create('/v1/sms', sms);
  await receiver.until((received) => received.length > 0);
  const delivery = await pushOf(webhook);
  const smsTemplate = await create('/v1/sms/templates', { name: 'receipt', text: 'Thank you' });
  const template = await create('/v1/chatapp/createChatTemplate', {
    name: 'journey',
    category: 'UTILITY',
    languages: ['en'],
    chatAccountId: 100_001,
    components: [{ type: 'BODY', text: 'Your order has left our house.' }],
  });
  const simulator = { channel: 'sms', kind: 'simulator', settings: {} };
  await t.p.post('/v1/gateways', { ...simulator, name: 'carrier-1' });
  const route = await create('/v1/routes', { name: 'india', targets: [{ gateway: 'carrier-1' }] });
  const config = await create('/v1/verify/configs', {
    name: 'login',
    sender: 'SHOP',
    text: 'Your code is {{code}}.',
  });
  const { body } = await t.p.post('/v1/verify', { configId: config, to: '919800000100' });
  await waitFor(hasCounted, {
    timeoutMs: 180_000, // the next count comes after 40 times the time of the last one
    otherwise: 'the send was not counted, so Overview is still to change',
  });
  await waitFor(areDelivered, { otherwise: 'a message was not delivered, so Lanes is still to change' });
  return {
    ...Object.fromEntries(Object.values(PAGES).flatMap((pages) => Object.entries(pages))),
    [`/sends/${send}`]: 'Send from SHOP',
    [`/messages/${send}:1`]: 'Message to 919800000100',
    [`/templates/${template}`]: 'journey',
    [`/templates/${template}/edit`]: 'Edit journey',
    [`/sms-templates/${smsTemplate}`]: 'receipt',
    [`/verification/configs/${config}`]: 'login',
    [`/verification/${String(body['data'])}`]: 'One verification',
    [`/webhooks/${webhook}`]: 'orders',
    [`/webhooks/${webhook}/edit`]: 'Edit orders',
    [`/deliveries/${delivery}`]: 'Delivery',
    [`/routes/${route}`]: 'india',
  };
}

/** The bar that says that answers are old, or that there are none. */
const barOf = (page: Page): Locator =>
  page.getByRole('main').getByRole('status').filter({ hasText: 'The page tries again by itself.' });

const LAPTOP = { width: 1280, height: 800 };

/** Words of places that have read that there is nothing. */
const EMPTY = /^(No|Nothing|Nobody) |is well|no one/i;

testInBrowser(
  'each page shows its columns, says that it is old, is never empty, and recovers by itself',
  async () => {
    const pages = await setUp();
    const page = await t.open({ viewport: LAPTOP });
    await page.clock.install();
    const turn = await putSwitch(page);
    await t.signIn(page, '/nowhere');
    const main = page.getByRole('main');
    const bar = barOf(page);
    const retry = main.getByRole('button', { name: 'Try again' });
    const placeholder = page.locator('[aria-busy=true], .mantine-Skeleton-root[data-visible=true]').first();

    for (const [path, heading] of Object.entries(pages)) {
      turn('unreachable');
      await follow(page, path);
      await passUntil(page, bar, 'visible');
      await passUntil(page, placeholder, 'detached');
      const titles = await main.getByRole('heading').allInnerTexts();
      expect([path, titles.filter((title) => EMPTY.test(title))]).toEqual([path, []]);
      expect([path, titles.length > 0]).toEqual([path, true]);

      turn('up');
      await passUntil(page, bar, 'detached');
      await passUntil(page, main.getByRole('heading', { name: heading, level: 1 }), 'visible');
      await waitUntilLoaded(page);
      expect([path, await retry.count()]).toEqual([path, 0]);
      expect([path, await countCutLists(page)]).toEqual([path, 0]);
      const before = await shapeOf(page);

      turn(503);
      await page.clock.fastForward(180_000);
      await passUntil(
        page,
        bar.getByText(/^Answers are (?:[3-9]|1[0-3]) minutes old: the server answers 503\./),
        'visible',
      );
      await shoot(page, `outage-${path.slice(1).replaceAll(/[^a-z]+/g, '-') || 'overview'}`);
      expect([path, lostOf(before, await shapeOf(page))]).toEqual([path, []]);

      turn('up');
      await passUntil(page, bar, 'detached');
    }
    forgetOutage(t);
  },
  400_000,
);

/** Reads of a list until its failure is final, and one more, which begins after the page has drawn that. */
const FAILED_READS = 4;

testInBrowser('an empty list stays empty when it cannot be read again', async () => {
  const page = await t.open();
  await page.clock.install();
  const turn = await putSwitch(page);
  let failed = 0;
  page.on('response', (response) => {
    if (response.status() === 503 && response.url().includes('/v1/conversations')) failed += 1;
  });
  await t.signIn(page, '/inbox');
  const heading = page.getByRole('heading', { name: 'No messages yet' });
  await heading.waitFor();

  turn(503);
  await waitFor(
    async () => {
      await page.clock.fastForward(60_000);
      return failed >= FAILED_READS;
    },
    { otherwise: () => `the inbox was read ${failed} times` },
  );

  const staysEmpty = await heading.isVisible();
  turn('up');
  await passUntil(page, barOf(page), 'detached');
  forgetOutage(t);
  expect(staysEmpty).toBe(true);
});
