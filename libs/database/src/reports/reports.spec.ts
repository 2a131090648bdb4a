import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import type { ReportStatus } from '@signalbox/domain/message-status';
import { accept, addWebhooks, newChat, newReport, openRows } from '@signalbox/test/rows';
import { recordChatSubmits, recordSubmits } from '../messages/submits.ts';
import { recordPushes } from '../webhooks/pushes.ts';
import { type NewReport, applyReports, insertReports, listUnsettled } from './reports.ts';
import { type NewSubmission, fanOut } from '../submissions/submissions.ts';

test('a report moves its message and carries what a push shows', async () => {
  await using t = await setup();
  const report = newReport(t.id, { reportedAt: new Date('2026-11-20T23:10:05Z') });
  await insertReports(t.db, [report]);

  const [applied] = await applyReports(t.db, [report.id]);

  expect(applied).toMatchObject({
    reportId: report.id,
    submissionId: t.id,
    n: 1,
    accountId: t.accountId,
    recipient: '919800000100',
    sender: 'SIGNALBX',
    gateway: 'simulator',
    status: 'DELIVERED',
    errCode: '000',
    credits: 1,
    deliveredAt: new Date('2026-11-20T23:10:05Z'),
    isFinal: true,
  });
  expect(await t.status()).toBe('DELIVERED');
});

test('a late or repeated report moves nothing', async () => {
  await using t = await setup();
  const delivered = newReport(t.id);
  const late = newReport(t.id, { status: 'SENT' });
  const again = newReport(t.id);
  await insertReports(t.db, [delivered, late, again]);
  await applyReports(t.db, [delivered.id]);

  expect(await applyReports(t.db, [late.id])).toEqual([]);
  expect(await applyReports(t.db, [again.id])).toEqual([]);
  expect(await listUnsettled(t.db, [again.id])).toMatchObject([{ mayMove: false, needsPush: false }]);
});

test('a report names the gateway that took the message, after another one throttled it', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await recordSubmits(rows.db, 'full', [
    { submissionId: id, n: 1, result: 'throttled', gatewayMessageId: null, retryAfterMs: 0 },
  ]);
  const report = newReport(id, { gateway: 'free' });
  await insertReports(rows.db, [report]);
  await applyReports(rows.db, [report.id]);

  expect(await rows.db.query('SELECT gateway FROM message')).toEqual([{ gateway: 'free' }]);
});

test('a failure that is later reported delivered is corrected', async () => {
  await using t = await setup();
  const failed = newReport(t.id, { status: 'FAILED', errCode: '001' });
  const delivered = newReport(t.id);
  await insertReports(t.db, [failed, delivered]);

  await applyReports(t.db, [failed.id]);
  const [corrected] = await applyReports(t.db, [delivered.id]);

  expect(corrected).toMatchObject({ status: 'DELIVERED', errCode: '000' });
  expect(await t.db.query('SELECT moved_by FROM message')).toEqual([{ moved_by: [failed.id, delivered.id] }]);
});

test('reports of one message in a batch move it in one pass and in order, and each is pushed', async () => {
  await using t = await setup();
  const statuses = ['SENT', 'FAILED', 'DELIVERED', 'READ', 'DELIVERED'] as const;
  const [sent, failed, delivered, read, again] = statuses.map((status, second) =>
    newReport(t.id, {
      id: idAt(second),
      status,
      description: status,
      reportedAt: new Date(Date.UTC(2026, 10, 20, 23, 10, second)),
    }),
  ) as [NewReport, NewReport, NewReport, NewReport, NewReport];
  await insertReports(t.db, [read, again, failed, sent, delivered]);
  await t.db.query(`UPDATE message SET status = 'PENDING', sent_at = NULL`);

  const ids = [read.id, again.id, delivered.id, failed.id, sent.id];
  expect(await applyReports(t.db, ids)).toMatchObject([
    { status: 'SENT', description: 'SENT', earlier: null, isFinal: false },
    { status: 'FAILED', description: 'FAILED', earlier: [sent.id], isFinal: true },
    { status: 'DELIVERED', description: 'DELIVERED', earlier: [sent.id, failed.id], isFinal: true },
    { status: 'READ', description: 'READ', earlier: [sent.id, failed.id, delivered.id], isFinal: false },
  ]);
  expect(await listUnsettled(t.db, [again.id])).toMatchObject([{ mayMove: false, needsPush: false }]);
});

test('a chat-app status that would skip another one waits for it for some seconds', async () => {
  await using t = await setup(CHAT);
  const [sent, delivered, read] = (['SENT', 'DELIVERED', 'READ'] as const).map((status) =>
    newReport(t.id, { status }),
  ) as [NewReport, NewReport, NewReport];
  await insertReports(t.db, [read, delivered]);
  expect(await applyReports(t.db, [read.id, delivered.id])).toEqual([]);
  expect(await listUnsettled(t.db, [read.id])).toMatchObject([
    { mayMove: true, needsPush: false, earlyForMs: expect.any(Number) },
  ]);

  await insertReports(t.db, [sent]);
  expect(await applyReports(t.db, [sent.id])).toMatchObject([{ reportId: sent.id }]);
  expect(await applyReports(t.db, [read.id])).toEqual([]);
  expect(await applyReports(t.db, [read.id, delivered.id])).toMatchObject([
    { reportId: delivered.id, earlier: [sent.id] },
    { reportId: read.id, earlier: [sent.id, delivered.id] },
  ]);
});

test('a chat-app message stops before a Read that waits for Delivered', async () => {
  await using t = await setup(CHAT);
  const [sent, read, delivered] = await t.report('SENT', 'READ', 'DELIVERED');

  expect(await applyReports(t.db, [sent.id, read.id])).toMatchObject([{ reportId: sent.id }]);
  expect(await applyReports(t.db, [read.id, delivered.id])).toMatchObject([
    { reportId: delivered.id, earlier: [sent.id] },
    { reportId: read.id, earlier: [sent.id, delivered.id] },
  ]);
});

test('a chat-app Read does not wait when an earlier job applied Delivered', async () => {
  await using t = await setup(CHAT);
  const [sent, delivered, read] = await t.report('SENT', 'DELIVERED', 'READ');
  await applyReports(t.db, [sent.id, delivered.id]);

  expect(await applyReports(t.db, [read.id])).toMatchObject([{ reportId: read.id }]);
});

test('a chat-app message that failed before it was Sent waits for nothing', async () => {
  await using t = await setup(CHAT);
  const [failed, delivered] = await t.report('FAILED', 'DELIVERED');

  expect(await applyReports(t.db, [failed.id, delivered.id])).toMatchObject([
    { reportId: failed.id, earlier: null },
    { reportId: delivered.id, earlier: [failed.id] },
  ]);
});

test('a repeated job gets what the first one got of chat-app reports in one batch', async () => {
  await using t = await setup(CHAT);
  const times = { SENT: 5, DELIVERED: 6, READ: 7 };
  const reports = Object.entries(times).map(([status, second]) =>
    newReport(t.id, {
      status: status as keyof typeof times,
      operatorCircle: `circle ${status}`,
      reportedAt: new Date(Date.UTC(2026, 10, 20, 23, 10, second)),
    }),
  );
  await insertReports(t.db, reports);
  const ids = reports.map(({ id }) => id);

  const applied = await applyReports(t.db, ids);

  expect(applied.map(({ chat }) => chat?.at)).toEqual(reports.map(({ reportedAt }) => reportedAt));
  const again = new Map((await listUnsettled(t.db, ids)).map((report) => [report.reportId, report]));
  expect(ids.map((id) => again.get(id))).toMatchObject(applied);
});

test('a chat-app status whose predecessor does not come in time is applied without it', async () => {
  await using t = await setup(CHAT);
  const read = newReport(t.id, { status: 'READ' });
  await insertReports(t.db, [read]);
  expect(await applyReports(t.db, [read.id])).toEqual([]);

  await t.db.query(`UPDATE message_event SET received_at = received_at - interval '6 seconds'`);

  expect(await applyReports(t.db, [read.id])).toMatchObject([{ reportId: read.id, earlier: null }]);
});

test('a report that moved its message is pushed by a repeated job until it is settled', async () => {
  await using t = await setup();
  const delivered = newReport(t.id);
  await insertReports(t.db, [delivered]);
  await applyReports(t.db, [delivered.id]);

  expect(await listUnsettled(t.db, [delivered.id])).toMatchObject([
    { reportId: delivered.id, needsPush: true, isFinal: true },
  ]);

  await recordPushes(t.db, [delivered.id], []);
  expect(await listUnsettled(t.db, [delivered.id])).toEqual([]);
});

test('a report of an unknown message is kept, and matched once the message exists', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  const early = newReport(id);
  await insertReports(rows.db, [early]);
  expect(await applyReports(rows.db, [early.id])).toEqual([]);
  expect(await listUnsettled(rows.db, [early.id])).toMatchObject([{ accountId: null, mayMove: false }]);

  await fanOut(rows.db, [id], LEASE_SECONDS);

  expect(await applyReports(rows.db, [early.id])).toHaveLength(1);
});

test('the answer of a submit does not move back a message that its report has moved', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  const early = newReport(id);
  await insertReports(rows.db, [early]);
  await applyReports(rows.db, [early.id]);

  await recordSubmits(rows.db, 'simulator', [
    { submissionId: id, n: 1, result: 'sent', gatewayMessageId: null, retryAfterMs: 0 },
  ]);

  expect(await rows.db.query('SELECT status, sent_at IS NOT NULL AS sent FROM message')).toEqual([
    { status: 'DELIVERED', sent: true },
  ]);
});

test('only the first report of Sent is pushed, although the submit moved the message to it', async () => {
  await using t = await setup();
  const [first, second] = [newReport(t.id, { status: 'SENT' }), newReport(t.id, { status: 'SENT' })];
  await insertReports(t.db, [first, second]);

  expect(await applyReports(t.db, [first.id])).toMatchObject([
    { reportId: first.id, status: 'SENT', isFinal: false },
  ]);
  expect(await applyReports(t.db, [second.id])).toEqual([]);
  expect(await t.status()).toBe('SENT');
});

test('a submit stores a Sent event where a webhook wants it, unless rejected or overtaken', async () => {
  await using rows = await openRows();
  const [asks, asksNot] = [await accept(rows.db), await accept(rows.db)];
  const rejected = await accept(rows.db, { accountId: asks.accountId });
  const overtaken = await accept(rows.db, { accountId: asks.accountId });
  await rows.db.query(`INSERT INTO account (id, name) VALUES ($1, 'asks'), ($2, 'asks not')`, [
    asks.accountId,
    asksNot.accountId,
  ]);
  await rows.db.query(
    `INSERT INTO webhook (id, account_id, name, channel, provider, method, endpoint, headers, fields, max_in_flight, sealed_secret, intermediate)
     SELECT uuidv7(), id, name, 'sms', 'any', 'POST', 'https://example.com/', '[]', '{}', 4, '', name = 'asks' FROM account`,
  );
  const all = [asks, asksNot, rejected, overtaken];
  await fanOut(
    rows.db,
    all.map(({ id }) => id),
    LEASE_SECONDS,
  );
  const early = newReport(overtaken.id, { status: 'DELIVERED' });
  await insertReports(rows.db, [early]);
  await applyReports(rows.db, [early.id]);

  const submits = all.map(({ id: submissionId }) => ({
    submissionId,
    n: 1,
    result: submissionId === rejected.id ? ('rejected' as const) : ('sent' as const),
    gatewayMessageId: null,
    retryAfterMs: 0,
  }));
  const reportIds = await recordSubmits(rows.db, 'simulator', submits);

  expect(
    await rows.db.query(`SELECT id, submission_id AS "of", gateway FROM message_event WHERE status = 'SENT'`),
  ).toEqual([{ id: reportIds[0], of: asks.id, gateway: 'simulator' }]);
  expect(reportIds).toHaveLength(1);
});

test('message.sent of a chat-app message is stored once, for accounts that subscribe to it', async () => {
  await using rows = await openRows();
  const [asks, asksNot] = [await accept(rows.db, newChat()), await accept(rows.db, newChat())];
  const rejected = await accept(rows.db, newChat({ accountId: asks.accountId }));
  const [webhookId] = await addWebhooks(rows.db, asks.accountId, 1);
  await addWebhooks(rows.db, asksNot.accountId, 1);
  await rows.db.query(
    `UPDATE webhook SET channel = 'chatapp', events = CASE id WHEN $1 THEN '{message.sent}' ELSE '{message.status}' END::text[]`,
    [webhookId],
  );
  await fanOut(rows.db, [asks.id, asksNot.id, rejected.id], LEASE_SECONDS);
  const fast = newReport(asks.id, { status: 'SENT' });
  await insertReports(rows.db, [fast]);
  await applyReports(rows.db, [fast.id]);
  const submits = [asks, asksNot, rejected].map(({ id }) => {
    const result = id === rejected.id ? ('rejected' as const) : ('sent' as const);
    return { submissionId: id, n: 1, result, gatewayMessageId: null, retryAfterMs: 0 };
  });

  const [reportId, ...others] = await recordChatSubmits(rows.db, 'chat-simulator', submits);

  expect(others).toEqual([]);
  expect(await recordChatSubmits(rows.db, 'chat-simulator', submits)).toEqual([]);
  expect(await applyReports(rows.db, [reportId!])).toEqual([]);
  const submitted = {
    submissionId: asks.id,
    status: 'SUBMITTED',
    needsPush: true,
    earlier: null,
    chat: { kind: 'text', template: null },
  };
  expect(await listUnsettled(rows.db, [reportId!])).toMatchObject([submitted]);
  expect(await rows.db.query('SELECT moved_by FROM message WHERE submission_id = $1', [asks.id])).toEqual([
    { moved_by: [fast.id] },
  ]);
});

test('a read report that comes first is final, because no delivered report was', async () => {
  await using t = await setup();
  const read = newReport(t.id, { status: 'READ' });
  await insertReports(t.db, [read]);

  expect(await applyReports(t.db, [read.id])).toMatchObject([{ isFinal: true }]);
});

test('a read report of the same second as an earlier delivered report is not final', async () => {
  await using t = await setup();
  const reportedAt = new Date('2026-11-20T23:10:05Z');
  const delivered = newReport(t.id, { reportedAt });
  const read = newReport(t.id, { status: 'READ', reportedAt });
  await insertReports(t.db, [delivered, read]);

  expect(await applyReports(t.db, [delivered.id])).toMatchObject([{ isFinal: true }]);
  expect(await applyReports(t.db, [read.id])).toMatchObject([{ isFinal: false }]);
});

/** Ids that are in order also within a millisecond. */
function idAt(place: number): string {
  return `019e6f0c-0000-7000-8000-${String(place).padStart(12, '0')}`;
}

const CHAT = { channel: 'chatapp', lane: 'CHAT', content: { text: { body: 'Hello' } } } as const;

async function setup(given: Partial<NewSubmission> = {}) {
  const rows = await openRows();
  const accountId = randomUUIDv7();
  const { id } = await accept(rows.db, { accountId, ...given });
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await recordSubmits(rows.db, 'simulator', [
    { submissionId: id, n: 1, result: 'sent', gatewayMessageId: null, retryAfterMs: 0 },
  ]);
  const status = async (): Promise<string> => (await rows.db.query('SELECT status FROM message'))[0].status;
  /** Stores a report of each status. */
  const report = async <const Statuses extends ReportStatus[]>(
    ...statuses: Statuses
  ): Promise<{ [I in keyof Statuses]: NewReport }> => {
    const reports = statuses.map((each) => newReport(id, { status: each }));
    await insertReports(rows.db, reports);
    return reports as { [I in keyof Statuses]: NewReport };
  };
  return { ...rows, id, accountId, status, report };
}
