import { afterAll, beforeAll, expect } from '@jest/globals';
import { deliveryId } from '@signalbox/domain/webhooks/delivery-id';
import { testInBrowser } from '@signalbox/test/browser';
import { forgetOutage, startSharedDashboard } from '@signalbox/test/dashboard';
import { barOf, expectRecovery, putSwitch } from '@signalbox/test/outage';
import { PAGES } from '@signalbox/test/pages';
import { startReceiver } from '@signalbox/test/receiver';
import { waitFor } from '@signalbox/tools/servers/wait-for';

const t = await startSharedDashboard({ env: { RATE_LIMIT_PER_MINUTE: '100000' } });
const receiver = await startReceiver();
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
});

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

type Area = keyof typeof PAGES;

/** Creates rows for every page. @returns the pages that name one, with their headings */
async function setUp(): Promise<Partial<Record<Area, Record<string, string>>>> {
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
  await waitFor(areDelivered, { otherwise: 'a message was not delivered, so Lanes is still to change' });
  return {
    messages: {
      [`/messages/${send}:1`]: 'Message to 919800000100',
      [`/sms-templates/${smsTemplate}`]: 'receipt',
    },
    statistics: {
      [`/sends/${send}`]: 'Send from SHOP',
      [`/verification/configs/${config}`]: 'login',
      [`/verification/${String(body['data'])}`]: 'One verification',
    },
    templates: {
      [`/templates/${template}`]: 'journey',
      [`/templates/${template}/edit`]: 'Edit journey',
    },
    push: {
      [`/webhooks/${webhook}`]: 'orders',
      [`/webhooks/${webhook}/edit`]: 'Edit orders',
      [`/deliveries/${delivery}`]: 'Delivery',
      [`/routes/${route}`]: 'india',
    },
  };
}

let rows: Awaited<ReturnType<typeof setUp>>;

beforeAll(async () => {
  if (t) rows = await setUp();
});

/** The areas of the dashboard. That of Overview is the last, by when its send is counted. */
const AREAS = (Object.keys(PAGES) as Area[]).toReversed();

testInBrowser.each(AREAS)(
  'each page of %s shows its columns, says that it is old, is never empty, and recovers',
  async (area) => {
    if (area === 'shell')
      await waitFor(hasCounted, {
        timeoutMs: 180_000, // the next count comes after 40 times the time of the last one
        otherwise: 'the send was not counted, so Overview is still to change',
      });
    await expectRecovery(t, { ...PAGES[area], ...rows[area] });
  },
);

/** Reads of a list until its failure is final, and one more, which begins after the page has drawn that. */
const FAILED_READS = 4;

testInBrowser('an empty list stays empty when it cannot be read again', async () => {
  const page = await t.open();
  const { turn, passUntil } = await putSwitch(page);
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
  await passUntil(barOf(page), 'detached');
  forgetOutage(t);
  expect(staysEmpty).toBe(true);
});
