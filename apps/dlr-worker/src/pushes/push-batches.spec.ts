import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { insertReports } from '@signalbox/database/reports/reports';
import { fanOut } from '@signalbox/database/submissions/submissions';
import type { BatchSetting } from '@signalbox/domain/webhooks/push-batch';
import { secretKey, signPush } from '@signalbox/domain/webhooks/push-signature';
import { type ReceivedPush, startReceiver } from '@signalbox/test/receiver';
import { accept, newReport } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { SECRET, openPushing } from '../../test/open-pushing.ts';

type Pushing = Awaited<ReturnType<typeof openPushing>>;

test('reports are pushed in full batches and a last one after the wait, each once and signed', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const { webhookId, reportIds } = await setUp(t, receiver.url, 250, { max: 100, waitMs: 1_000 });

  await t.reports.settle(reportIds);
  await untilPushed(t, webhookId, 'DELIVERED', 250);

  expect(receiver.received.map((call) => itemsOf(call).length).toSorted((a, b) => b - a)).toEqual([
    100, 100, 50,
  ]);
  const ids = receiver.received.flatMap((call) => itemsOf(call).map(({ id }) => id));
  expect(ids.toSorted()).toEqual(reportIds.map((id) => `${id}_${webhookId}`).toSorted());
  expect(itemsOf(receiver.received[0]!)[0]).toMatchObject({ sequence: 1, body: { status: 'Delivered' } });
  for (const { headers, body } of receiver.received) {
    expect(headers).toMatchObject({ 'user-agent': 'Signalbox', 'content-type': 'application/json' });
    const [id, at] = [String(headers['webhook-id']), Number(headers['webhook-timestamp'])];
    expect(headers['webhook-signature']).toBe(signPush([secretKey(SECRET)], id, at, body));
  }
});

test('a batch that fails is retried whole, under the same id', async () => {
  await using t = await openPushing();
  let calls = 0;
  await using receiver = await startReceiver((_, response) => {
    calls += 1;
    response.writeHead(calls === 1 ? 500 : 204).end();
  });
  const { webhookId, reportIds } = await setUp(t, receiver.url, 20, { max: 20, waitMs: 1_000 });

  await t.reports.settle(reportIds);
  await untilPushed(t, webhookId, 'WAITING', 20);
  await t.rows.db.query('UPDATE push SET next_attempt_at = now() WHERE webhook_id = $1', [webhookId]);
  await t.duePusher.pass();
  await untilPushed(t, webhookId, 'DELIVERED', 20);

  const [first, second, ...more] = receiver.received;
  expect(more).toEqual([]);
  expect(
    itemsOf(second!)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(
    itemsOf(first!)
      .map(({ id }) => id)
      .toSorted(),
  );
  expect(await t.rows.db.query('SELECT DISTINCT attempts FROM push')).toEqual([{ attempts: 2 }]);
});

test('a job ends before its batch', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const { webhookId, reportIds } = await setUp(t, receiver.url, 1, { max: 100, waitMs: 1_000 });

  await t.reports.settle(reportIds);

  expect(receiver.received).toEqual([]);
  await untilPushed(t, webhookId, 'DELIVERED', 1);
  expect(receiver.received).toHaveLength(1);
});

test('each retry after the first takes half as many reports in a call', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver((_, response) => void response.writeHead(500).end());
  const { webhookId, reportIds } = await setUp(t, receiver.url, 8, { max: 8, waitMs: 1_000 });
  const sizes: number[][] = [];

  await t.reports.settle(reportIds);
  for (let attempts = 1; attempts <= 4; attempts += 1) {
    await untilAttempted(t, attempts, 8);
    sizes.push(receiver.received.splice(0).map((call) => itemsOf(call).length));
    await t.rows.db.query('UPDATE push SET next_attempt_at = now() WHERE webhook_id = $1', [webhookId]);
  }

  expect(sizes).toEqual([[8], [8], [4, 4], [2, 2, 2, 2]]);
});

test('a job that runs again leaves the reports of an open batch alone', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const { webhookId, reportIds } = await setUp(t, receiver.url, 3, { max: 100, waitMs: 500 });

  await t.reports.settle(reportIds);
  await t.reports.settle(reportIds);
  await untilPushed(t, webhookId, 'DELIVERED', 3);

  expect(receiver.received.flatMap(itemsOf)).toHaveLength(3);
});

test('an open batch is not pushed to an endpoint that is gone meanwhile', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver((_, response) => void response.writeHead(410).end());
  const { webhookId, reportIds } = await setUp(t, receiver.url, 15, { max: 10, waitMs: 1_000 });

  await t.reports.settle(reportIds);
  await untilPushed(t, webhookId, 'WAITING', 5);

  expect(receiver.received.map((call) => itemsOf(call).length)).toEqual([10]);
  expect(await t.pushes(webhookId)).toEqual([
    { status: 'EXHAUSTED', error: 'bad_status', count: 10 },
    { status: 'WAITING', error: 'webhook_disabled', count: 5 },
  ]);
});

test('a later status of a message follows the batch of the earlier one', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const { webhookId, reportIds, submissionId } = await setUp(t, receiver.url, 1, { max: 10, waitMs: 300 });
  await t.rows.db.query('UPDATE webhook SET intermediate = true');
  await t.rows.db.query(`UPDATE message_event SET status = 'SENT'`);
  const later = newReport(submissionId, { n: 1 });

  await t.reports.settle(reportIds);
  await insertReports(t.rows.db, [later]);
  await t.reports.settle([later.id]);
  await untilPushed(t, webhookId, 'DELIVERED', 2);

  expect(receiver.received.map((call) => itemsOf(call).map(({ sequence }) => sequence))).toEqual([[1], [2]]);
  expect(await t.rows.db.query('SELECT DISTINCT starts FROM push')).toEqual([{ starts: 1 }]); // none was postponed
});

test('a batch with more than a mebibyte is divided', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const { webhookId, reportIds } = await setUp(t, receiver.url, 8, { max: 8, waitMs: 1_000 });
  await t.rows.db.query('UPDATE message_event SET description = $1', ['x'.repeat(300_000)]);

  await t.reports.settle(reportIds);
  await untilPushed(t, webhookId, 'DELIVERED', 8);

  expect(receiver.received.map((call) => itemsOf(call).length).toSorted((a, b) => a - b)).toEqual([2, 3, 3]);
});

/** Stores reports of an account with one webhook. */
async function setUp(
  t: Pushing,
  url: string,
  count: number,
  batch: BatchSetting,
): Promise<{ webhookId: string; submissionId: string; reportIds: string[] }> {
  const accountId = randomUUIDv7();
  const webhookId = await t.webhook(url, { accountId, batch, maxInFlight: 16 });
  const recipients = Array.from({ length: count }, (_, i) => String(919_800_000_100 + i));
  const { id } = await accept(t.rows.db, { accountId, recipients });
  await fanOut(t.rows.db, [id], 60);
  const reports = recipients.map((_, i) => newReport(id, { n: i + 1 }));
  await insertReports(t.rows.db, reports);
  return { webhookId, submissionId: id, reportIds: reports.map((report) => report.id) };
}

async function untilPushed(t: Pushing, webhookId: string, status: string, count: number): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    const pushes = await t.pushes(webhookId);
    return pushes.some(
      (push) => push.status === status && push.error !== 'in_flight' && push.count === count,
    );
  };
  await waitFor(isDone, { timeoutMs: 60_000, otherwise: `the pushes are not ${status}` });
}

async function untilAttempted(t: Pushing, attempts: number, count: number): Promise<void> {
  const isDone = async (): Promise<boolean> => {
    await t.duePusher.pass(); // a busy machine puts tries off
    const rows = await t.rows.db.query(
      `SELECT FROM push WHERE attempts = $1 AND error IS DISTINCT FROM 'in_flight'`,
      [attempts],
    );
    return rows.length === count;
  };
  await waitFor(isDone, { timeoutMs: 60_000, otherwise: `not every push had ${attempts} attempts` });
}

function itemsOf({ body }: ReceivedPush): { id: string; sequence: number; body: object }[] {
  return JSON.parse(body) as { id: string; sequence: number; body: object }[];
}
