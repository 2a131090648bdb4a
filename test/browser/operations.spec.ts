import { expect } from '@jest/globals';
import { SMS_QUEUES } from '@signalbox/queues/definitions';
import { testInBrowser } from '@signalbox/test/browser';
import { expectAccessible, expectGoodPages, follow, startSharedDashboard } from '@signalbox/test/dashboard';
import { PAGES } from '@signalbox/test/pages';
import { openQueue } from '@signalbox/test/queue';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import type { Locator, Page } from 'playwright-core';

const t = await startSharedDashboard();

/** Parks the messages of a send, as after ten starts without an outcome. */
const PARK = `
  UPDATE message
     SET status = 'PENDING', starts = 10, due_at = 'infinity', asks = NULL, claimed_until = now()
   WHERE submission_id = $1`;

/** The part of `GET /v1/system` that the overview reads. */
interface SystemFacts {
  workers: { fleet: string; workers: number }[];
  queues: { mayEvict: boolean };
  migrations: { pending: string[] };
}

const SMS = { sender: 'SIGNALBX', to: '919800000100', text: 'Hello', type: 'PROMO' };

testInBrowser('an operator pauses a queue and resumes it', async () => {
  const promo = await openQueue(SMS_QUEUES.PROMO, t.p.queue);
  const page = await t.open();
  await t.signIn(page, '/queues');
  await page.getByText('sms-promo').waitFor();
  await page.getByText('sms-promo').click();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByRole('button', { name: 'Pause the queue' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await promo.admin.isPaused()).toBe(true);

  const id = await t.p.send('/v1/sms', SMS);
  await follow(page, `/messages/${id}:1`);
  await page.getByText('It waits to be handed to a gateway').waitFor();
  await page.getByRole('link', { name: 'Queue sms-promo is paused' }).click();
  await page.getByRole('heading', { name: 'sms-promo', level: 1 }).waitFor();
  await page.getByText('Sends promotional SMS').waitFor();
  await page.getByRole('link', { name: 'Lanes and backlog' }).click();
  await page.getByRole('cell', { name: 'Promotional Queue paused' }).getByRole('link').click();
  await page.getByRole('heading', { name: 'sms-promo', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('link', { name: 'Queue sms-promo is paused' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  expect(await promo.admin.isPaused()).toBe(false);
  await promo.close();
});

testInBrowser('the overview names workers that do not run, and leads to the page System', async () => {
  const page = await t.open();
  await page.route('**/v1/system', async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as { data: SystemFacts };
    for (const count of data.workers) if (count.fleet === 'otp') count.workers = 0;
    data.queues.mayEvict = true;
    data.migrations.pending = ['Next1'];
    await route.fulfill({ response, json: { data } });
  });
  await t.signIn(page);
  await page.getByRole('link', { name: 'Redis may drop jobs: set maxmemory-policy noeviction' }).waitFor();
  await page.getByRole('link', { name: '1 migration is pending: run the command migrate' }).waitFor();
  await page.getByRole('link', { name: 'No otp-worker runs: codes are not generated' }).click();
  await page.getByText('None runs').waitFor();
  expect(await page.getByText('1 live').count()).toBe(3);
  await expectAccessible(page);
});

testInBrowser('an operator frees a parked message, which is then sent', async () => {
  const id = await t.p.send('/v1/sms', { ...SMS, type: 'TRANS' });
  const statusOf = async (): Promise<string | undefined> => {
    const [row] = await t.query<{ status: string }>(`SELECT status FROM message WHERE submission_id = $1`, [
      id,
    ]);
    return row?.status;
  };
  await waitFor(async () => (await statusOf()) === 'DELIVERED', { otherwise: 'it was not delivered' });
  await t.query(PARK, [id]);
  const page = await t.open();
  await t.signIn(page);
  await page.getByRole('link', { name: '1 parked row' }).click();
  await page.getByRole('link', { name: `${id}:1` }).click();
  await page.getByRole('link', { name: 'See the parked rows' }).click();
  await page.getByText(`${id}:1`).waitFor();
  await expectAccessible(page);
  await leaveReason(page);
  await page.getByRole('button', { name: 'Free 1 message' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Free 1 message' }).click();

  await waitFor(async () => (await statusOf()) !== 'PENDING', { otherwise: 'it was not sent' });
  await page.getByRole('heading', { name: 'Nothing is parked' }).waitFor();
});

/** Types a reason to discard, which asks before Escape loses it. */
async function leaveReason(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Discard 1 message' }).click();
  await page.getByLabel('Reason').fill('a test');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Stay' }).click();
  expect(await page.getByLabel('Reason').inputValue()).toBe('a test');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('dialog', { name: 'Discard 1 message?' }).waitFor({ state: 'hidden' });
}

testInBrowser(
  'a long action shows its progress on any page, stops between calls, and says what failed',
  async () => {
    const id = await parkMany(1_200);
    const release = Promise.withResolvers<void>();
    let calls = 0;
    const page = await t.open();
    await page.route('**/v1/parked/free', async (route) => {
      calls += 1;
      if (calls === 3) return route.fulfill({ status: 409, json: { error: REFUSAL } });
      if (calls === 2) await release.promise;
      return route.continue();
    });
    await t.signIn(page, '/parked');
    const menu = page.getByRole('navigation', { name: 'Pages' });

    await freeAll(page, 1_200);
    await page.getByText('500 of 1,200').waitFor();
    await menu.getByRole('link', { name: 'Queues' }).click();
    await page.getByRole('heading', { name: 'Queues', level: 1 }).waitFor();
    await page.getByText('500 of 1,200').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    release.resolve();
    await page.getByText('Stopped after 1,000.').waitFor();
    expect(await countParked(id)).toBe(200);

    await menu.getByRole('link', { name: 'Parked rows' }).click();
    await freeAll(page, 200);
    await page.getByText(`${REFUSAL.message} 0 were done before.`).waitFor();
    expect(await countParked(id)).toBe(200);
    await freeAll(page, 200);
    await page.getByText('Done: 200.').waitFor();
    expect(await countParked(id)).toBe(0);
  },
);

const REFUSAL = { code: 'conflict', message: 'Another operator frees them.', details: [], retryable: false };

/** Parks the messages of a new send; returns its id. */
async function parkMany(count: number): Promise<string> {
  const to = Array.from({ length: count }, (_, i) => String(919810000100 + 1_000 * i));
  const id = await t.p.send('/v1/sms', { ...SMS, type: 'TRANS', to });
  const delivered = async (): Promise<number> => {
    const rows = await t.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM message WHERE submission_id = $1 AND status = 'DELIVERED'`,
      [id],
    );
    return rows[0]!.count;
  };
  await waitFor(async () => (await delivered()) === count, { otherwise: 'they were not delivered' });
  await t.query(PARK, [id]);
  return id;
}

async function freeAll(page: Page, count: number): Promise<void> {
  const name = `Free all ${count.toLocaleString('en')} messages`;
  await page.getByRole('button', { name }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name }).click();
  await dialog.waitFor({ state: 'hidden' });
}

async function countParked(id: string): Promise<number> {
  const rows = await t.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM message WHERE submission_id = $1 AND due_at = 'infinity' AND asks IS NULL`,
    [id],
  );
  return rows[0]!.count;
}

testInBrowser('the pages of operators are accessible and fit their windows', async () => {
  await t.p.post('/v1/sms', { ...SMS, sendAt: new Date(Date.now() + 86_400_000).toISOString() });
  await expectGoodPages(t, PAGES.operations);
});

testInBrowser(
  'a narrow window shows how many jobs of a queue wait, and the buttons of an account',
  async () => {
    const page = await t.open({ viewport: { width: 390, height: 900 } });
    await t.signIn(page, '/queues');
    await expectInView(page.getByRole('columnheader', { name: 'Waiting' }));
    await follow(page, '/accounts');
    await expectInView(page.getByRole('button', { name: 'Suspend' }));
  },
);

testInBrowser('the charts of a queue say why they are empty', async () => {
  await t.query('DELETE FROM queue_minute');
  const page = await t.open();
  await t.signIn(page, '/queues/chatapp');
  await page.getByText('No worker has run in these hours').waitFor();
});

testInBrowser('the backlog names its lanes as people do', async () => {
  await t.p.post('/v1/sms', { ...SMS, sendAt: new Date(Date.now() + 86_400_000).toISOString() });
  const page = await t.open();
  await t.signIn(page, '/lanes');
  await page.getByRole('cell', { name: 'Promotional', exact: true }).waitFor();
});

testInBrowser('a wrong limit of an account is shown although the limits were closed', async () => {
  const page = await t.open();
  await t.signIn(page, '/accounts');
  await page.getByRole('button', { name: 'Create account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Subsidiary');
  await dialog.getByRole('button', { name: /^Limits/ }).click();
  await dialog.getByLabel('Webhooks').fill('9999999999999');
  await dialog.getByRole('button', { name: /^Limits/ }).click();
  await dialog.getByRole('button', { name: /^Limits/, expanded: false }).waitFor();
  await dialog.getByRole('button', { name: 'Create account' }).click();
  await page.locator('[aria-invalid=true]:focus').and(dialog.getByLabel('Webhooks')).waitFor();
  await dialog.getByRole('alert').getByText('Webhooks: Must be').waitFor();
});

testInBrowser('a wide window shows the work of each queue in full', async () => {
  const page = await t.open();
  await t.signIn(page, '/queues');
  await page.getByRole('cell', { name: 'Sends one-time passwords by chat app' }).waitFor();
  const isCut = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
    scrollWidth > clientWidth;
  const cells = await page.getByRole('cell').all();
  expect(await Promise.all(cells.map((cell) => cell.evaluate(isCut)))).not.toContain(true);
});

/** Fails for what is cut by the right edge of a narrow window. */
async function expectInView(element: Locator): Promise<void> {
  await element.waitFor();
  const { x, width } = (await element.boundingBox())!;
  expect(x + width).toBeLessThanOrEqual(390);
}
