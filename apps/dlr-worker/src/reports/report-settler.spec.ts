import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { fanOutChat } from '@signalbox/database/chat/fan-out';
import { recordSubmits } from '@signalbox/database/messages/submits';
import { insertReports } from '@signalbox/database/reports/reports';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { firstIdAt } from '@signalbox/domain/id-time';
import { block } from '@signalbox/test/clocks';
import { untilOneWaits } from '@signalbox/test/locks';
import { startReceiver } from '@signalbox/test/receiver';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { accept, addSender, newChat, newReport } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { openPushing } from '../../test/open-pushing.ts';
import { MAX_PLANNED } from '../pushes/push-plan.ts';

const WEBHOOKS = 25;
/** With these, the pushes make two slices. */
const REPORTS = MAX_PLANNED / WEBHOOKS + 1;

test('a job with more pushes than one slice makes each of them once', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const accountId = randomUUIDv7();
  for (let i = 0; i < WEBHOOKS; i += 1)
    await t.webhook(`${receiver.url}/${i}`, { accountId, maxInFlight: 256 });
  const recipients = Array.from({ length: REPORTS }, (_, i) => String(919_800_000_100 + i));
  const { id } = await accept(t.rows.db, { accountId, recipients });
  await fanOut(t.rows.db, [id], 60);
  const reports = recipients.map((_, i) => newReport(id, { n: i + 1 }));
  await insertReports(t.rows.db, reports);

  await t.reports.settle(reports.map((report) => report.id));
  await waitFor(
    async () => {
      await t.duePusher.pass(); // a busy machine puts first tries off, or hands them off
      return receiver.received.length >= WEBHOOKS * REPORTS && (await countOpen(t.rows.db)) === 0;
    },
    { timeoutMs: 240_000, otherwise: 'pushes wait' },
  );

  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(
    receiver.received.length,
  );
});

test('a report that a running job settles is not pushed by a second job', async () => {
  await using t = await openPushing();
  const repeats: Promise<object>[] = [];
  await using receiver = await startReceiver(() => void repeats.push(t.reports.settle([report.id])));
  const accountId = randomUUIDv7();
  await t.webhook(receiver.url, { accountId });
  const { id } = await accept(t.rows.db, { accountId });
  await fanOut(t.rows.db, [id], 60);
  const report = newReport(id);
  await insertReports(t.rows.db, [report]);

  await Promise.all([t.reports.settle([report.id]), t.reports.settle([report.id])]);
  await Promise.all(repeats);

  expect(receiver.received).toHaveLength(1);
});

test('a job that runs again after a failure does not repeat the calls that it handed off', async () => {
  await using t = await openPushing();
  const { db } = t.rows;
  const answers: (() => void)[] = [];
  await using receiver = await startReceiver(({ url }, response) => {
    if (url === '/handed-off') answers.push(() => response.end());
    else response.end();
  });
  const [handedOffId, refusedId] = [randomUUIDv7(), randomUUIDv7()];
  await t.webhook(`${receiver.url}/handed-off`, { accountId: handedOffId, batch: { max: 1, waitMs: 0 } });
  await t.webhook(`${receiver.url}/refused`, { accountId: refusedId });
  await db.query(`ALTER TABLE push ADD CONSTRAINT refused CHECK (account_id <> '${refusedId}')`);
  const sends = await Promise.all([handedOffId, refusedId].map((accountId) => accept(db, { accountId })));
  const ids = sends.map(({ id }) => id);
  await fanOut(db, ids, 60);
  const reports = ids.map((id) => newReport(id));
  await insertReports(db, reports);
  const reportIds = reports.map(({ id }) => id);

  await expect(t.reports.settle(reportIds)).rejects.toThrow('refused');
  await expect(t.reports.settle(reportIds)).rejects.toThrow('refused');
  for (const answer of answers) answer();

  expect(receiver.received.map(({ url }) => url).toSorted()).toEqual(['/handed-off', '/refused', '/refused']);
});

test('a job waits for a call that was answered while the process was paused', async () => {
  await using t = await openPushing();
  const { db } = t.rows;
  await using receiver = await startReceiver((_, response) => {
    response.end();
    setImmediate(() => block(400));
  });
  const accountId = randomUUIDv7();
  await t.webhook(receiver.url, { accountId });
  const { id } = await accept(db, { accountId });
  await fanOut(db, [id], 60);
  const report = newReport(id);
  await insertReports(db, [report]);

  await t.reports.settle([report.id]);

  expect(await countOpen(db)).toBe(0);
});

test.each([{ batch: { max: 100, waitMs: 1_000 } }, { batch: null }])(
  'reports that the rescue would soon run again are settled with their job: %j',
  async ({ batch }) => {
    await using t = await openPushing();
    const { db } = t.rows;
    const answers: (() => void)[] = [];
    await using receiver = await startReceiver((_, response) => void answers.push(() => response.end()));
    const accountId = randomUUIDv7();
    const webhookId = await t.webhook(receiver.url, { accountId, batch });
    const recipients = ['919800000100', '919800000101'];
    const { id } = await accept(db, { accountId, recipients });
    await fanOut(db, [id], 60);
    const received = Date.now() - 7_000;
    const reports = recipients.map((_, i) => newReport(id, { id: firstIdAt(received + i), n: i + 1 }));
    await insertReports(db, reports);

    await t.reports.settle(reports.map((report) => report.id));

    expect(await countOpen(db)).toBe(0);
    expect(await t.pushes(webhookId)).toEqual([{ status: 'WAITING', error: 'in_flight', count: 2 }]);
    await receiver.until(() => answers.length === (batch ? 1 : 2));
    for (const answer of answers) answer();
    await waitFor(async () => (await t.pushes(webhookId))[0]?.status === 'DELIVERED');
    expect(t.admission.sharesOf(false).isIdle(accountId)).toBe(true);
  },
);

test('the share of an account does not wait for the calls of another that were handed off', async () => {
  await using t = await openPushing();
  const { db } = t.rows;
  const answers: (() => void)[] = [];
  await using receiver = await startReceiver(({ url }, response) => {
    if (url === '/batched') answers.push(() => response.end());
    else response.end();
  });
  const [batched, single] = [randomUUIDv7(), randomUUIDv7()];
  await t.webhook(`${receiver.url}/batched`, { accountId: batched, batch: { max: 1, waitMs: 0 } });
  await t.webhook(`${receiver.url}/single`, { accountId: single });
  const sends = await Promise.all([batched, single].map((accountId) => accept(db, { accountId })));
  const ids = sends.map(({ id }) => id);
  await fanOut(db, ids, 60);
  const reports = ids.map((id) => newReport(id));
  await insertReports(db, reports);

  await t.reports.settle(reports.map((report) => report.id));

  const shares = t.admission.sharesOf(false);
  expect([batched, single].map((accountId) => shares.isIdle(accountId))).toEqual([false, true]);
  for (const answer of answers) answer();
});

test('a report that waits for the one before it is left to its next job', async () => {
  await using t = await openPushing();
  const { db } = t.rows;
  const answers: (() => void)[] = [];
  await using receiver = await startReceiver((_, response) => void answers.push(() => response.end()));
  const accountId = randomUUIDv7();
  await t.webhook(receiver.url, { accountId });
  const sms = await accept(db, { accountId });
  await fanOut(db, [sms.id], 60);
  await addSender(db, accountId);
  const chat = await accept(db, newChat({ accountId }));
  await fanOutChat(db, 'CHAT', { budget: 10, after: null, leaseSeconds: 60 });
  const [delivered, read, sent] = [
    newReport(sms.id),
    newReport(chat.id, { status: 'READ' }),
    newReport(chat.id, { status: 'SENT' }),
  ];
  await insertReports(db, [delivered, read]);

  const first = t.reports.settle([delivered.id, read.id]);
  await receiver.until(() => answers.length === 1);
  await insertReports(db, [sent]);
  await db.query(`UPDATE message_event SET received_at = received_at - interval '5 seconds' WHERE id = $1`, [
    read.id,
  ]);
  await t.reports.settle([read.id, sent.id]);
  for (const answer of answers) answer();
  await first;

  expect(await db.query('SELECT status FROM message WHERE submission_id = $1', [chat.id])).toEqual([
    { status: 'READ' },
  ]);
});

test('the report of a message that is stored and submitted while it is settled is pushed', async () => {
  await using t = await openPushing();
  const { db } = t.rows;
  const { id } = await accept(db);
  const report = newReport(id, { status: 'SENT' });
  await insertReports(db, [report]);
  let settling: Promise<object> | undefined;

  await db.transaction(async (locked) => {
    await locked.query('LOCK TABLE inbound_message'); // the second statement of the settler reads it, the first does not
    settling = t.reports.settle([report.id]);
    await untilOneWaits(db);
    await fanOut(db, [id], 60);
    const submit = { submissionId: id, n: 1, gatewayMessageId: null, retryAfterMs: 0 };
    await recordSubmits(db, 'simulator', [{ ...submit, result: 'sent' }]);
  });
  expect(await settling).toMatchObject({ toPush: 1 });

  expect(await db.query('SELECT moved_by FROM message')).toEqual([{ moved_by: [report.id] }]);
});

/** Counts the reports that are not settled. */
async function countOpen(db: EntityManager): Promise<number> {
  const [row]: { open: number }[] = await db.query(
    'SELECT count(*)::integer AS open FROM message_event WHERE settled_at IS NULL',
  );
  return row!.open;
}
