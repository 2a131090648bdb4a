import { expect, test } from '@jest/globals';
import { SMS_LANES } from '@signalbox/domain/lane';
import { LEASE_SECONDS, MAX_STARTS } from '@signalbox/domain/limits';
import { newSubmission } from '@signalbox/test/new-submission';
import { accept, makeBatchesDue, newReport, openRows } from '@signalbox/test/rows';
import { recordSubmits } from '../messages/submits.ts';
import { reclaim } from '../submissions/reclaim.ts';
import { applyReports, insertReports } from '../reports/reports.ts';
import { listOpenMessages } from './lanes.ts';
import { ASK_AGAIN_SECONDS, askAgain, claimLostReports, claimOverdue, listLostMessages } from './rescue.ts';
import { countParked } from './starts.ts';
import { fanOut } from '../submissions/submissions.ts';

const NO_JOB = (): Date => new Date(Date.now() + 1_000);

test('a row is not lost while the oldest job may be its own', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await insertReports(rows.db, [newReport(id)]);
  await rows.db.query(`UPDATE message_event SET received_at = now() - interval '1 minute'`);
  await makeBatchesDue(rows.db);
  const oldestJobAt = new Date(Date.now() - 59_000);

  expect(await claimLostReports(rows.db, oldestJobAt, false)).toEqual([]);
});

test('the rescue skips rows that a worker has locked', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  const [heldReport, lostReport] = [newReport(id), newReport(id)];
  await insertReports(rows.db, [heldReport, lostReport]);
  await rows.db.query(`UPDATE message_event SET received_at = now() - interval '15 seconds'`);
  await makeBatchesDue(rows.db);

  await rows.db.transaction(async (worker) => {
    await worker.query('SELECT FROM message_event WHERE id = $1 FOR UPDATE', [heldReport.id]);

    expect(await claimLostReports(rows.db, NO_JOB(), false)).toEqual([lostReport.id]);
  });

  await makeBatchesDue(rows.db);
  expect(await claimLostReports(rows.db, NO_JOB(), false)).toEqual([heldReport.id]);
});

test('a message that is locked while its batch is read is found by a later pass', async () => {
  await using rows = await openRows();
  const [held, lost] = [await accept(rows.db), await accept(rows.db)];
  await fanOut(rows.db, [held.id, lost.id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET claimed_until = now() - interval '2 seconds'`);
  await makeBatchesDue(rows.db);

  await rows.db.transaction(async (worker) => {
    await worker.query('SELECT FROM message WHERE submission_id = $1 FOR UPDATE', [held.id]);

    expect(await listLostMessages(rows.db, SMS_LANES)).toEqual([{ lane: 'TRANS', submissionIds: [lost.id] }]);
  });

  await makeBatchesDue(rows.db);
  expect(await listLostMessages(rows.db, SMS_LANES)).toEqual([{ lane: 'TRANS', submissionIds: [held.id] }]);
});

test('a lost message is listed again when the job of its first listing may be lost too', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET claimed_until = now() - interval '2 seconds'`);
  await makeBatchesDue(rows.db);
  const list = async (): Promise<string[]> =>
    (await listLostMessages(rows.db, SMS_LANES)).flatMap(({ submissionIds }) => submissionIds);

  expect([await list(), await list()]).toEqual([[id], []]);
  await rows.db.query(`UPDATE message SET due_at = due_at - interval '11 seconds'`);
  expect(await list()).toEqual([id]);
});

test('a reported message is found by no search of the rescue', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET claimed_until = now() - interval '2 seconds'`);
  await makeBatchesDue(rows.db);
  await listLostMessages(rows.db, SMS_LANES);
  await reclaim(rows.db, [id], LEASE_SECONDS);
  await recordSubmits(rows.db, 'simulator', [
    { submissionId: id, n: 1, result: 'sent', gatewayMessageId: null, retryAfterMs: 0 },
  ]);
  const times = () => rows.db.query('SELECT due_at > now() AS due, asks FROM message');
  expect(await times()).toEqual([{ due: true, asks: 'simulator' }]);

  const report = newReport(id);
  await insertReports(rows.db, [report]);
  await applyReports(rows.db, [report.id]);

  expect(await times()).toEqual([{ due: null, asks: null }]);
});

test('pending messages that no worker has claimed are listed by lane', async () => {
  await using rows = await openRows();
  const held = await accept(rows.db, { lane: 'OTP' });
  const lost = await accept(rows.db, { lane: 'PROMO', recipients: ['919800000001', '919800000002'] });
  await fanOut(rows.db, [held.id, lost.id], LEASE_SECONDS);
  await rows.db.query(
    `UPDATE message SET claimed_until = now() - interval '2 seconds' WHERE submission_id = $1`,
    [lost.id],
  );
  await makeBatchesDue(rows.db);

  expect(await listLostMessages(rows.db, SMS_LANES)).toEqual([{ lane: 'PROMO', submissionIds: [lost.id] }]);

  await reclaim(rows.db, [lost.id], LEASE_SECONDS);
  expect(await listLostMessages(rows.db, SMS_LANES)).toEqual([]);
});

test('a throttled message is never parked, and its submits are counted', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  const throttled = {
    submissionId: id,
    n: 1,
    result: 'throttled' as const,
    gatewayMessageId: null,
    retryAfterMs: 0,
  };
  const attempts: number[] = [];
  for (let i = 0; i < MAX_STARTS + 2; i += 1) {
    await recordSubmits(rows.db, 'simulator', [throttled]);
    attempts.push(...(await reclaim(rows.db, [id], LEASE_SECONDS)).messages.map(({ attempt }) => attempt));
  }
  expect(attempts).toEqual(Array.from({ length: MAX_STARTS + 2 }, (_, i) => i + 2));
  expect((await countParked(rows.db)).message).toBe(0);
});

const HALF_A_DAY_LATER = `UPDATE message SET sent_at = sent_at - interval '12 hours', due_at = due_at - interval '12 hours'`;

test('the overdue message of a gateway that cannot be asked is open for a day', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await recordSubmits(rows.db, 'vendor', [
    { submissionId: id, n: 1, result: 'sent', gatewayMessageId: 'G-1', retryAfterMs: 0 },
  ]);
  await rows.db.query(
    `UPDATE message SET claimed_until = now() - interval '1 second', sent_at = now() - interval '40 seconds'`,
  );
  await makeBatchesDue(rows.db);
  await listLostMessages(rows.db, SMS_LANES);
  const claim = async (): Promise<number> => (await claimOverdue(rows.db, 'vendor', NO_JOB(), false)).length;

  expect(await claim()).toBe(1);
  await rows.db.query(HALF_A_DAY_LATER);
  expect(await claim()).toBe(0);
  expect(await listOpenMessages(rows.db)).toMatchObject([{ gateway: 'vendor', messages: 1 }]);
  await rows.db.query(HALF_A_DAY_LATER);
  await claim();

  expect(await listOpenMessages(rows.db)).toEqual([]);
});

test('a gateway is asked for an overdue report, and each time the wait doubles', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await recordSubmits(rows.db, 'simulator', [
    { submissionId: id, n: 1, result: 'sent', gatewayMessageId: 'G-1', retryAfterMs: 0 },
  ]);
  expect(await claimOverdue(rows.db, 'simulator', NO_JOB())).toEqual([]);
  await rows.db.query(
    `UPDATE message SET claimed_until = now() - interval '1 second', sent_at = now() - interval '40 seconds'`,
  );
  await makeBatchesDue(rows.db);
  await listLostMessages(rows.db, SMS_LANES);

  expect(await claimOverdue(rows.db, 'another', NO_JOB())).toEqual([]);
  expect(await claimOverdue(rows.db, 'simulator', new Date(Date.now() - 60_000))).toEqual([]);
  await rows.db.query(
    `INSERT INTO report_batch (is_code, due_at, reports, ids) VALUES (true, now() - interval '1 minute', 1, '{}')`,
  );
  expect(await claimOverdue(rows.db, 'simulator', NO_JOB())).toEqual([]);
  await rows.db.query('DELETE FROM report_batch');
  expect(await claimOverdue(rows.db, 'simulator', NO_JOB())).toEqual([
    { submissionId: id, n: 1, recipient: '919800000100', sender: 'SIGNALBX', gatewayMessageId: 'G-1' },
  ]);
  expect(
    await rows.db.query(`SELECT round(extract(epoch FROM due_at - now()))::int AS wait FROM message`),
  ).toEqual([{ wait: 40 }]);
});

test('a gateway is asked again soon about a message that it could not be asked about', async () => {
  await using rows = await openRows();
  const { id } = await accept(
    rows.db,
    newSubmission({ recipients: ['919800000100', '919800000101', '919800000102'] }),
  );
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await recordSubmits(
    rows.db,
    'simulator',
    [1, 2, 3].map((n) => ({
      submissionId: id,
      n,
      result: 'sent' as const,
      gatewayMessageId: null,
      retryAfterMs: 0,
    })),
  );
  // the second was asked about for the last time, and the third is too old
  await rows.db.query(
    `UPDATE message
        SET due_at = CASE n WHEN 1 THEN now() + interval '2 hours' END,
            asks = CASE n WHEN 1 THEN 'simulator' END,
            sent_at = now() - CASE n WHEN 3 THEN interval '25 hours' ELSE interval '2 hours' END`,
  );
  const keys = [1, 2, 3].map((n) => ({ submissionId: id, n }));
  const waits = () =>
    rows.db.query(
      `SELECT n, asks, round(extract(epoch FROM due_at - now()))::int AS wait FROM message WHERE asks IS NOT NULL ORDER BY n`,
    );

  await askAgain(rows.db, 'another', [keys[0]!]);
  expect(await waits()).toEqual([{ n: 1, asks: 'simulator', wait: 7_200 }]);
  await askAgain(rows.db, 'simulator', keys);
  expect(await waits()).toEqual([1, 2].map((n) => ({ n, asks: 'simulator', wait: ASK_AGAIN_SECONDS })));

  const delivered = newReport(id, { status: 'DELIVERED' });
  await insertReports(rows.db, [delivered]);
  await applyReports(rows.db, [delivered.id]);
  await askAgain(rows.db, 'simulator', keys);
  expect(await waits()).toEqual([{ n: 2, asks: 'simulator', wait: ASK_AGAIN_SECONDS }]);
});

test('a gateway is asked for the final report of a parked message that it reports as sent', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET starts = $1 - 1, claimed_until = now() - interval '1 second'`, [
    MAX_STARTS,
  ]);
  await reclaim(rows.db, [id], LEASE_SECONDS);
  expect((await countParked(rows.db)).message).toBe(1);

  const sent = newReport(id, { status: 'SENT' });
  await insertReports(rows.db, [sent]);
  await applyReports(rows.db, [sent.id]);
  expect(await claimOverdue(rows.db, 'simulator', NO_JOB())).toEqual([]);
  await rows.db.query(
    `UPDATE message SET sent_at = sent_at - interval '15 seconds', due_at = due_at - interval '15 seconds'`,
  );

  expect(await claimOverdue(rows.db, 'simulator', NO_JOB())).toMatchObject([{ submissionId: id, n: 1 }]);
});

test('an unsettled report is rescued again, after a longer wait each time', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  const report = newReport(id);
  await insertReports(rows.db, [report]);
  await rows.db.query(`UPDATE message_event SET received_at = now() - interval '15 seconds'`);
  await makeBatchesDue(rows.db);

  expect(await claimLostReports(rows.db, NO_JOB(), false)).toEqual([report.id]);
  expect(await claimLostReports(rows.db, NO_JOB(), false)).toEqual([]);
});

test('a pass skips the batches that another pass reads', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET claimed_until = now() - interval '2 seconds'`);
  const report = newReport(id);
  await insertReports(rows.db, [report]);
  await rows.db.query(`UPDATE message_event SET received_at = now() - interval '15 seconds'`);
  await makeBatchesDue(rows.db);

  await rows.db.transaction(async (pass) => {
    const lost = await listLostMessages(pass, SMS_LANES);
    expect(lost).toEqual([{ lane: 'TRANS', submissionIds: [id] }]);
    expect(await claimLostReports(pass, NO_JOB(), false)).toEqual([report.id]);

    expect(await listLostMessages(rows.db, SMS_LANES)).toEqual([]);
    expect(await claimLostReports(rows.db, NO_JOB(), false)).toEqual([]);
  });
});
