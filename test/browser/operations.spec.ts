import { afterAll, afterEach, expect } from '@jest/globals';
import { SMS_QUEUES } from '@signalbox/queues/definitions';
import { browser, testInBrowser } from '@signalbox/test/browser';
import {
  type Dashboard,
  expectAccessible,
  expectGoodPages,
  expectNoProblems,
  startDashboard,
} from '@signalbox/test/dashboard';
import { openQueue } from '@signalbox/test/queue';
import { waitFor } from '@signalbox/tools/servers/wait-for';

const t = (browser && (await startDashboard())) as Dashboard;

afterAll(async () => t?.[Symbol.asyncDispose]());
afterEach(() => expectNoProblems(t));

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
  expect(await promo.desk.isPaused()).toBe(true);

  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  expect(await promo.desk.isPaused()).toBe(false);
  await promo.close();
});

testInBrowser('an operator frees a parked message, which is then sent', async () => {
  const { body } = await t.p.post('/v1/sms', { ...SMS, type: 'TRANS' });
  const id = String(body['id']);
  const statusOf = async (): Promise<string | undefined> => {
    const [row] = await t.query<{ status: string }>(`SELECT status FROM message WHERE submission_id = $1`, [
      id,
    ]);
    return row?.status;
  };
  await waitFor(async () => (await statusOf()) === 'DELIVERED', { otherwise: 'it was not delivered' });
  await t.query(
    `UPDATE message SET status = 'PENDING', starts = 10, due_at = 'infinity', asks = NULL, claimed_until = now() WHERE submission_id = $1`,
    [id],
  );
  const page = await t.open();
  await t.signIn(page, '/parked');
  await page.getByText(`${id}:1`).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Free 1 message' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Free 1 message' }).click();

  await waitFor(async () => (await statusOf()) !== 'PENDING', { otherwise: 'it was not sent' });
  await page.getByRole('heading', { name: 'Nothing is parked' }).waitFor();
});

testInBrowser('the pages of operators are accessible and fit their windows', async () => {
  await t.p.post('/v1/sms', { ...SMS, sendAt: new Date(Date.now() + 86_400_000).toISOString() });
  await expectGoodPages(t, {
    '/queues': 'Queues',
    '/queues/sms-promo': 'sms-promo',
    '/lanes': 'Lanes and backlog',
    '/parked': 'Parked rows',
    '/accounts': 'Accounts',
    '/system': 'System',
  });
});
