import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { applyReports, insertReports } from '@signalbox/database/reports/reports';
import { fanOut } from '@signalbox/database/submissions/submissions';
import { recordPushes } from '@signalbox/database/webhooks/pushes';
import { setHostClock } from '@signalbox/test/clocks';
import { startReceiver } from '@signalbox/test/receiver';
import { accept, addWebhooks, newReport } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { type OpenPushing, openPushing } from '../../test/open-pushing.ts';

test('an endpoint whose pushes cannot be claimed is logged, and the others are called', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const [first, broken, last] = [
    await t.webhook(receiver.url),
    await t.webhook(receiver.url),
    await t.webhook(receiver.url),
  ];
  for (const webhookId of [first, broken, last]) await t.due(webhookId, 2);
  await failUpdatesOf(t.rows.db, broken);

  await t.duePusher.pass();
  await receiver.until((received) => received.length === 4);
  await t.duePusher.pass();

  expect(t.lines).toMatchObject([{ event: 'push.claim_failed', webhookId: broken }]);
  expect(await t.pushes(broken)).toEqual([{ status: 'WAITING', error: 'put_off', count: 2 }]);
});

test('an endpoint is skipped for 30 s, also when the clock of the host is set back', async () => {
  await using t = await openPushing();
  const webhookId = await t.webhook('http://127.0.0.1:9');
  await t.due(webhookId, 1);
  await failUpdatesOf(t.rows.db, webhookId);
  await t.duePusher.pass();

  using _ = setHostClock(-3_600_000, 31_000);
  await t.duePusher.pass();

  const failure = { event: 'push.claim_failed', webhookId };
  expect(t.lines).toMatchObject([failure, failure]);
});

test('a pass examines the 10,000 endpoints that wait behind those of the last pass', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  await addWebhooks(t.rows.db, randomUUIDv7(), 10_000);
  await t.rows.db.query(
    `INSERT INTO push (webhook_id, report_id, account_id, status, attempts, next_attempt_at)
     SELECT id, uuidv7(), account_id, 'WAITING', 1, now() + interval '1 hour' FROM webhook`,
  );
  const last = await t.webhook(receiver.url);
  await t.due(last, 1);

  await t.duePusher.pass();
  expect(await t.rows.db.query('SELECT starts FROM push WHERE webhook_id = $1', [last])).toEqual([
    { starts: 0 },
  ]);

  await t.duePusher.pass();
  await waitFor(async () => (await t.pushes(last))[0]?.status === 'DELIVERED');
});

test('passes that follow while an endpoint drains are of that endpoint alone', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const [draining, other] = [await t.webhook(receiver.url), await t.webhook(receiver.url)];
  await t.due(draining, 500);
  await t.duePusher.pass();

  await t.due(other, 1);
  await waitFor(async () => (await t.pushes(draining)).every(({ status }) => status === 'DELIVERED'));
  expect(await t.pushes(other)).toMatchObject([{ status: 'WAITING' }]);

  await t.duePusher.pass();
  await waitFor(async () => (await t.pushes(other))[0]?.status === 'DELIVERED');
  expect(receiver.received).toHaveLength(501);
});

test('an open breaker is probed by a push that may be called, behind many that may not', async () => {
  await using t = await openPushing();
  await using receiver = await startReceiver();
  const webhookId = await t.webhook(receiver.url);
  await storeStatuses(t, webhookId, { messages: 25, sentDueIn: '-1 second' });
  await openBreaker(t, webhookId);

  await waitFor(async () => {
    await t.duePusher.pass();
    return receiver.received.length === 50;
  });

  expect(await t.rows.db.query('SELECT open_level FROM endpoint')).toEqual([{ open_level: 0 }]);
});

test('a probe is returned when no push may be called', async () => {
  await using t = await openPushing();
  const webhookId = await t.webhook('http://127.0.0.1:9');
  await storeStatuses(t, webhookId, { messages: 1, sentDueIn: '1 hour' });
  await openBreaker(t, webhookId);

  await t.duePusher.pass();

  expect(
    await t.rows.db.query('SELECT open_level, open_until <= now() AS may_be_probed FROM endpoint'),
  ).toEqual([{ open_level: 1, may_be_probed: true }]);
});

test('a probe is returned when its push cannot be claimed in time', async () => {
  await using t = await openPushing();
  const webhookId = await t.webhook('http://127.0.0.1:9');
  await t.due(webhookId, 1);
  await openBreaker(t, webhookId);
  await failUpdatesOf(t.rows.db, webhookId, '57014');

  await expect(t.duePusher.pass()).rejects.toThrow('planted');

  expect(
    await t.rows.db.query('SELECT open_level, open_until <= now() AS may_be_probed FROM endpoint'),
  ).toEqual([{ open_level: 1, may_be_probed: true }]);
});

test('the pusher closes although its last pass fails', async () => {
  await using t = await openPushing();
  await t.rows.db.query('ALTER TABLE endpoint RENAME TO lost');

  const pass = t.duePusher.pass().catch(() => 'failed');
  await t.duePusher.close();

  expect(await pass).toBe('failed');
  await t.rows.db.query('ALTER TABLE lost RENAME TO endpoint');
});

test.each([`headers = 'null'`, `headers = '5'`, `batch = 'null'`, `batch = '5'`, `filters = 'null'`])(
  'a webhook with batches and with %s keeps no other from its pushes',
  async (planted) => {
    await using t = await openPushing();
    await using receiver = await startReceiver();
    const batch = { max: 10, waitMs: 0 };
    const damaged = await t.webhook(receiver.url, { batch });
    const healthy = await t.webhook(receiver.url);
    await t.rows.db.query(`UPDATE webhook SET ${planted} WHERE id = $1`, [damaged]);
    await t.due(damaged, 1);
    await t.due(healthy, 1);

    await t.duePusher.pass();

    await waitFor(async () => (await t.pushes(healthy))[0]?.status === 'DELIVERED');
    expect(await t.pushes(healthy)).toHaveLength(1);
  },
);

test('webhooks of one account whose calls hang leave slots to another account', async () => {
  await using t = await openPushing();
  await using tarpit = await startReceiver(() => undefined);
  await using healthy = await startReceiver();
  const accountId = randomUUIDv7();
  for (let i = 0; i < 10; i += 1)
    await t.due(await t.webhook(`${tarpit.url}/${i}`, { accountId, maxInFlight: 256 }), 256);
  await t.duePusher.pass();
  await tarpit.until((received) => received.length > 0);

  const webhookId = await t.webhook(healthy.url);
  await t.due(webhookId, 3);
  await t.duePusher.pass();

  await healthy.until((received) => received.length === 3, 10_000); // before a hanging call ends
  expect(healthy.received).toHaveLength(3);
});

/** Stores waiting pushes of the statuses Sent and Delivered of messages. Those of Delivered have been due for a minute. */
async function storeStatuses(
  { rows: { db } }: OpenPushing,
  webhookId: string,
  { messages, sentDueIn }: { messages: number; sentDueIn: string },
): Promise<void> {
  const recipients = Array.from({ length: messages }, (_, i) => String(919_800_000_100 + i));
  const [{ accountId }]: [{ accountId: string }] = await db.query(
    `SELECT account_id AS "accountId" FROM webhook WHERE id = $1`,
    [webhookId],
  );
  const { id } = await accept(db, { accountId, recipients });
  await fanOut(db, [id], 60);
  for (const status of ['SENT', 'DELIVERED'] as const) {
    const reports = recipients.map((_, i) => newReport(id, { n: i + 1, status }));
    await insertReports(db, reports);
    const ids = reports.map((report) => report.id);
    await applyReports(db, ids);
    await recordPushes(db, ids, []);
    await db.query(
      `INSERT INTO push (report_id, webhook_id, account_id, status, attempts, starts, next_attempt_at, error)
       SELECT report, $2, $3, 'WAITING', 0, 0, now() + $4::interval, 'put_off'
         FROM unnest($1::uuid[]) AS report`,
      [ids, webhookId, accountId, status === 'SENT' ? sentDueIn : '-1 minute'],
    );
  }
}

async function openBreaker({ rows: { db } }: OpenPushing, webhookId: string): Promise<void> {
  await db.query(
    `INSERT INTO endpoint (webhook_id, open_level, open_until) VALUES ($1, 1, now() - interval '1 second')`,
    [webhookId],
  );
}

/** Makes each update of a push of this webhook fail, by default as a row does that holds a value out of range. */
async function failUpdatesOf(
  db: { query: (statement: string) => Promise<unknown> },
  webhookId: string,
  code = '22003',
): Promise<void> {
  await db.query(
    `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '${code}'; END $$`,
  );
  await db.query(
    `CREATE TRIGGER fail BEFORE UPDATE ON push FOR EACH ROW WHEN (OLD.webhook_id = '${webhookId}') EXECUTE FUNCTION fail()`,
  );
}
