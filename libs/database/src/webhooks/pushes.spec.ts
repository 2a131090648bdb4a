import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS, MAX_STARTS } from '@signalbox/domain/limits';
import { countPages } from '@signalbox/test/count-pages';
import { accept, addWebhooks, newReport, openRows } from '@signalbox/test/rows';
import { waitFor } from '@signalbox/tools/servers/wait-for';
import { mayHaveLostCommits } from '../core/lost-commits.ts';
import { sweepPushes } from './push-sweep.ts';
import { type PushOutcome, claimPushes, listPushesBehind, recordPushes } from './pushes.ts';
import { erasePerson } from '../ops/erasure.ts';
import { applyReports, insertReports } from '../reports/reports.ts';
import { fanOut } from '../submissions/submissions.ts';

test('a push that succeeds immediately is one row, and settles its report', async () => {
  await using t = await setup();

  await recordPushes(
    t.db,
    [t.reportId],
    [t.outcome({ status: 'DELIVERED', attempts: 1, responseStatus: 200, durationMs: 12 })],
  );

  expect(await t.pushes()).toEqual([{ status: 'DELIVERED', attempts: 1, error: null, waits: false }]);
  expect(await t.db.query('SELECT settled_at IS NOT NULL AS settled FROM message_event')).toEqual([
    { settled: true },
  ]);
});

test('a job that runs again records the pushes that its first run did not', async () => {
  await using t = await setup();
  const [later] = await t.report();
  const delivered = t.outcome({ status: 'DELIVERED', attempts: 1, responseStatus: 200 });
  await recordPushes(t.db, [t.reportId], [delivered]);

  await recordPushes(t.db, [t.reportId, later!], [delivered, { ...delivered, reportId: later! }]);

  expect(await t.pushes()).toHaveLength(2);
  expect(await t.db.query('SELECT FROM message_event WHERE settled_at IS NULL')).toEqual([]);
});

test('a report whose move was lost stays open once a connection broke', async () => {
  await using t = await setup();
  const delivered = t.outcome({ status: 'DELIVERED', attempts: 1 });
  await applyReports(t.db, [t.reportId]);
  await t.db.query(`UPDATE message SET status = 'SENT', moved_by = NULL`);
  await t.breakConnections();

  await recordPushes(t.db, [t.reportId], [delivered]);
  const isOpen = await t.isOpen();
  await applyReports(t.db, [t.reportId]);
  await recordPushes(t.db, [t.reportId], [delivered]);

  expect([isOpen, await t.isOpen()]).toEqual([true, false]);
});

test('a failed try is kept, and the push waits for its next one', async () => {
  await using t = await setup();

  await recordPushes(t.db, [t.reportId], [t.failed(1)]);

  expect(await t.pushes()).toEqual([{ status: 'WAITING', attempts: 1, error: 'bad_status', waits: true }]);
  expect(await t.db.query('SELECT attempt, response_status, error FROM push_attempt')).toEqual([
    { attempt: 1, response_status: 500, error: 'bad_status' },
  ]);
});

test('the answer to a call is not kept when its person is erased during the call', async () => {
  await using t = await setup();
  await addWebhooks(t.db, t.outcome({}).accountId, 1);
  await t.db.query(`UPDATE message_event SET settled_at = now()`);
  await t.db.query(`UPDATE message SET status = 'DELIVERED'`);
  const record = () => recordPushes(t.db, [], [t.failed(1)]);
  const isWaiting = async (): Promise<boolean> =>
    (await t.db.query(`SELECT FROM pg_locks WHERE NOT granted`)).length > 0;

  const recording = await t.db.transaction(async (db) => {
    await erasePerson(db, '919800000100');
    const recorded = record();
    await waitFor(isWaiting, { otherwise: 'the record does not wait for the erasure' });
    return [recorded];
  });
  await Promise.all(recording);
  await record();

  expect(await t.db.query('SELECT FROM push_attempt')).toEqual([]);
});

test('an erasure locks no row of a person with a message in progress', async () => {
  await using t = await setup();
  await addWebhooks(t.db, t.outcome({}).accountId, 1);

  await t.db.transaction(async (db) => {
    expect(await erasePerson(db, '919800000100')).toEqual({ rows: new Map(), open: 2 });
    await recordPushes(t.db, [t.reportId], [t.failed(1)]);
  });

  expect(await t.pushes()).toHaveLength(1);
});

test('a push is claimed by one of two workers, and by none before its time', async () => {
  await using t = await setup();
  await recordPushes(t.db, [t.reportId], [t.failed(1, 60_000)]);
  expect(await t.claim()).toEqual([]);
  await t.makeDue();

  const claims = await Promise.all([t.claim(), t.claim()]);

  expect(claims.flat()).toMatchObject([{ ...t.key, attempts: 1, recipient: '919800000100', behindMs: null }]);
});

test('the oldest pushes of each endpoint are claimed, as many as there is room for', async () => {
  await using t = await setup();
  const [busy, other] = [t.key.webhookId, randomUUIDv7()];
  const reportIds = await t.report(5);
  await recordPushes(
    t.db,
    [],
    [
      ...reportIds.map((reportId, i) =>
        t.outcome({ reportId, webhookId: busy, nextDelayMs: i === 3 ? -9_000 : -1_000 * (5 - i) }),
      ),
      t.outcome({ reportId: reportIds[0]!, webhookId: other, nextDelayMs: 0 }),
    ],
  );

  const claimed = await claimPushes(
    t.db,
    [
      { webhookId: busy, room: 2 },
      { webhookId: other, room: 9 },
    ],
    20,
  );

  const idsOf = (id: string) =>
    claimed
      .filter(({ webhookId }) => webhookId === id)
      .map(({ reportId }) => reportId)
      .toSorted();
  expect(idsOf(busy)).toEqual([reportIds[0]!, reportIds[3]!].toSorted((a, b) => (a < b ? -1 : 1)));
  expect(idsOf(other)).toEqual([reportIds[0]]);
});

test('an outcome older than the stored one changes nothing', async () => {
  await using t = await setup();
  await recordPushes(t.db, [t.reportId], [t.failed(2)]);

  await recordPushes(t.db, [], [t.failed(1)]);
  expect(await t.pushes()).toMatchObject([{ attempts: 2 }]);

  await recordPushes(t.db, [], [t.outcome({ status: 'DELIVERED', attempts: 3 })]);
  await recordPushes(t.db, [], [t.failed(4)]);
  expect(await t.pushes()).toMatchObject([{ status: 'DELIVERED', attempts: 3 }]);
});

test('a push that is repeatedly postponed is never parked for it', async () => {
  await using t = await setup();
  const postponed = t.outcome({ status: 'WAITING', attempts: 0, nextDelayMs: 0, error: 'put_off' });
  await recordPushes(t.db, [t.reportId], [postponed]);

  for (let turn = 0; turn < MAX_STARTS + 2; turn += 1) {
    expect(await t.claim()).toHaveLength(1);
    await recordPushes(t.db, [], [postponed]);
  }
});

test('a push whose workers always die or whose message is deleted is given up', async () => {
  await using t = await setup();
  await recordPushes(t.db, [t.reportId], [t.failed(1, 0)]);

  let claims = 0;
  for (let turn = 0; turn < MAX_STARTS + 5; turn += 1) {
    claims += (await t.claim()).length;
    await t.makeDue();
  }

  expect(claims).toBe(MAX_STARTS);
  expect(await t.pushes()).toEqual([{ status: 'EXHAUSTED', attempts: 1, error: 'given_up', waits: false }]);

  const [reportId] = await t.report(1);
  await recordPushes(t.db, [], [t.outcome({ reportId: reportId!, nextDelayMs: 0 })]);
  await t.db.query('DELETE FROM message');
  expect(await t.claim()).toEqual([]);
  expect(await t.pushes()).toContainEqual({
    status: 'EXHAUSTED',
    attempts: 0,
    error: 'given_up',
    waits: false,
  });
});

test('a push whose counters are at their end is given up, and fails no claim of another', async () => {
  await using t = await setup();
  const [full] = await t.report(1);
  await recordPushes(t.db, [], [t.failed(1, 0), t.outcome({ reportId: full!, nextDelayMs: 0 })]);
  await t.db.query('UPDATE push SET attempts = 32767, starts = 32767 WHERE report_id = $1', [full]);

  expect(await t.claim()).toMatchObject([{ reportId: t.reportId }]);
  expect(await t.pushes()).toContainEqual({
    status: 'EXHAUSTED',
    attempts: 32_767,
    error: 'given_up',
    waits: false,
  });
});

test('a later status waits for the end of an earlier one of its message at the same webhook', async () => {
  await using t = await setup();
  const [later] = await t.report(1);
  await t.db.query('UPDATE message SET moved_by = $1', [[t.reportId, later]]);
  const order = { ...t.key, reportId: later!, earlierReportId: t.reportId };
  const waiting = t.outcome({ reportId: later!, nextDelayMs: 0, error: 'behind' });

  expect(await listPushesBehind(t.db, [order])).toHaveLength(1); // not pushed yet
  await recordPushes(t.db, [t.reportId, later!], [t.failed(1, 60_000), waiting]);
  expect(await listPushesBehind(t.db, [order, { ...order, webhookId: randomUUIDv7() }])).toEqual([
    { reportId: later, webhookId: t.key.webhookId },
  ]);
  const [held] = await t.claim();
  expect(held).toMatchObject({ reportId: later });
  expect(held!.behindMs).toBeGreaterThan(59_000);

  await recordPushes(t.db, [], [waiting, t.outcome({ status: 'DELIVERED', attempts: 2, nextDelayMs: null })]);
  expect(await listPushesBehind(t.db, [order])).toEqual([]);
  expect(await t.claim()).toMatchObject([{ reportId: later, behindMs: null }]);
});

test('pushes of a webhook that was deleted, or disabled for a month, are given up', async () => {
  await using t = await setup();
  const webhooks = await t.webhooks(3);
  await recordPushes(
    t.db,
    [],
    webhooks.map((webhookId) => t.outcome({ webhookId, nextDelayMs: 0 })),
  );
  await t.db.query('UPDATE webhook SET disabled_at = now(), deleted_at = now() WHERE id = $1', [webhooks[0]]);
  await t.db.query(`UPDATE webhook SET disabled_at = now() - interval '31 days' WHERE id = $1`, [
    webhooks[1],
  ]);
  await t.db.query(`UPDATE webhook SET disabled_at = now() - interval '29 days' WHERE id = $1`, [
    webhooks[2],
  ]);

  await sweepPushes(t.db);

  expect((await t.pushes()).map(({ status, error }) => `${status} ${error}`).toSorted()).toEqual([
    'EXHAUSTED webhook_deleted',
    'EXHAUSTED webhook_disabled',
    'WAITING null',
  ]);
});

test('the sweep looks up no disabled webhook without waiting pushes', async () => {
  await using t = await setup();
  const webhooks = await t.webhooks(500);
  await t.db.query(`UPDATE webhook SET disabled_at = now() - interval '31 days'`);
  const waiting = webhooks.slice(0, 3).map((webhookId) => t.outcome({ webhookId, nextDelayMs: 0 }));
  await recordPushes(t.db, [], waiting);
  await t.db.query('VACUUM ANALYZE webhook');

  expect(await countPages(t.db, (counted) => sweepPushes(counted))).toBeLessThan(1_000);
  expect((await t.pushes()).map(({ status }) => status)).toEqual(['EXHAUSTED', 'EXHAUSTED', 'EXHAUSTED']);
});

async function setup() {
  const rows = await openRows();
  const accountId = randomUUIDv7();
  const { id } = await accept(rows.db, { accountId });
  await fanOut(rows.db, [id], LEASE_SECONDS);
  const report = newReport(id);
  await insertReports(rows.db, [report]);
  const reportMore = async (count = 1) => {
    const reports = Array.from({ length: count }, () => newReport(id));
    await insertReports(rows.db, reports);
    return reports.map((more) => more.id);
  };
  const key = { reportId: report.id, webhookId: randomUUIDv7() };
  const outcome = (given: Partial<PushOutcome>): PushOutcome => ({
    ...key,
    accountId,
    status: 'WAITING',
    attempts: 0,
    nextDelayMs: null,
    responseStatus: null,
    error: null,
    durationMs: null,
    timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
    answer: '',
    requestHeaders: null,
    failedAttempt: false,
    ...given,
  });
  return {
    ...rows,
    key,
    reportId: report.id,
    outcome,
    failed: (attempts: number, nextDelayMs = 5_000) =>
      outcome({
        attempts,
        nextDelayMs,
        responseStatus: 500,
        error: 'bad_status',
        durationMs: 3,
        failedAttempt: true,
      }),
    isOpen: async () => {
      const [row] = await rows.db.query<{ open: boolean }[]>(
        'SELECT settled_at IS NULL AS open FROM message_event',
      );
      return row?.open;
    },
    /** Ends a connection, as a crash of Postgres does. */
    breakConnections: async () => {
      await rows.db.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      await waitFor(() => mayHaveLostCommits(rows.db), { otherwise: 'the break was not noticed' });
    },
    makeDue: () => rows.db.query('UPDATE push SET next_attempt_at = now() WHERE next_attempt_at IS NOT NULL'),
    claim: () => claimPushes(rows.db, [{ webhookId: key.webhookId, room: 9 }], 20),
    report: reportMore,
    webhooks: (count: number): Promise<string[]> => addWebhooks(rows.db, accountId, count),
    pushes: (): Promise<{ status: string; attempts: number; error: string | null; waits: boolean }[]> =>
      rows.db.query('SELECT status, attempts, error, next_attempt_at IS NOT NULL AS waits FROM push'),
  };
}
