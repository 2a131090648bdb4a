import { expect, test } from '@jest/globals';
import { LEASE_SECONDS, MAX_STARTS } from '@signalbox/domain/limits';
import { accept, newReport, openRows } from '@signalbox/tools/test/rows';
import { reclaim, recordSubmits } from './messages.ts';
import { insertReports } from './reports.ts';
import { countParked, listLostMessages, rescueAlone, takeLostReports, takeLostSubmissions, takeOverdue } from './rescue.ts';
import { fanOut } from './submissions.ts';

const NO_JOB = (): Date => new Date(Date.now() + 1_000);

test('a submission without a job is rung for when it is ten seconds old, then at twenty, then at forty', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  const rungAt = async (seconds: number): Promise<number> => {
    await rows.db.query('UPDATE submission SET due_at = now() - make_interval(secs => $1)', [seconds]);
    return (await takeLostSubmissions(rows.db, 'TRANS', NO_JOB())).filter((row) => row.id === id).length;
  };

  const rings = [];
  for (const age of [9, 11, 12, 19, 21, 39, 41]) rings.push(await rungAt(age));

  expect(rings).toEqual([0, 1, 0, 0, 1, 0, 1]);
});

test('a submission younger than the oldest job of its queue still has its job', async () => {
  await using rows = await openRows();
  await accept(rows.db);
  await rows.db.query(`UPDATE submission SET due_at = now() - interval '1 minute'`);

  expect(await takeLostSubmissions(rows.db, 'TRANS', new Date(Date.now() - 90_000))).toEqual([]);
  expect(await takeLostSubmissions(rows.db, 'PROMO', NO_JOB())).toEqual([]);
  expect(await takeLostSubmissions(rows.db, 'TRANS', new Date(Date.now() - 30_000))).toHaveLength(1);
});

test('a row is not lost while the oldest job may be the one that was rung for it', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await insertReports(rows.db, [newReport(id)]);
  await rows.db.query(`UPDATE submission SET due_at = now() - interval '1 minute'`);
  await rows.db.query(`UPDATE delivery_report SET received_at = now() - interval '1 minute'`);
  const rungFor = new Date(Date.now() - 59_000);

  expect(await takeLostSubmissions(rows.db, 'TRANS', rungFor)).toEqual([]);
  expect(await takeLostReports(rows.db, rungFor)).toEqual([]);
});

test('a rescuer passes over rows that a worker has locked, and so never waits for one', async () => {
  await using rows = await openRows();
  const [held, lost] = [await accept(rows.db), await accept(rows.db)];
  const [heldReport, lostReport] = [newReport(held.id), newReport(lost.id)];
  await insertReports(rows.db, [heldReport, lostReport]);
  await rows.db.query(`UPDATE submission SET due_at = now() - interval '15 seconds'`);
  await rows.db.query(`UPDATE delivery_report SET received_at = now() - interval '15 seconds'`);

  await rows.db.transaction(async (worker) => {
    await worker.query('SELECT FROM submission WHERE id = $1 FOR UPDATE', [held.id]);
    await worker.query('SELECT FROM delivery_report WHERE id = $1 FOR UPDATE', [heldReport.id]);

    expect((await takeLostSubmissions(rows.db, 'TRANS', NO_JOB())).map(({ id }) => id)).toEqual([lost.id]);
    expect(await takeLostReports(rows.db, NO_JOB())).toEqual([lostReport.id]);
  });
});

test('a submission that never fans out is parked, and counted as such', async () => {
  await using rows = await openRows();
  await accept(rows.db);
  await rows.db.query(`UPDATE submission SET due_at = now() - interval '1 day'`);

  let rings = 0;
  for (let pass = 0; pass < MAX_STARTS + 3; pass += 1) rings += (await takeLostSubmissions(rows.db, 'TRANS', NO_JOB())).length;

  expect(rings).toBe(MAX_STARTS);
  expect(await countParked(rows.db)).toEqual({ submission: 1, message: 0, delivery_report: 0, template: 0 });
});

test('pending messages that no worker holds are found by lane, and those that are held are not', async () => {
  await using rows = await openRows();
  const held = await accept(rows.db, { lane: 'OTP' });
  const lost = await accept(rows.db, { lane: 'PROMO', recipients: ['919800000001', '919800000002'] });
  await fanOut(rows.db, [held.id, lost.id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET claimed_until = now() - interval '2 seconds' WHERE submission_id = $1`, [lost.id]);

  expect(await listLostMessages(rows.db)).toEqual([{ submissionId: lost.id, lane: 'PROMO', messages: 2 }]);

  await reclaim(rows.db, [lost.id], LEASE_SECONDS);
  expect(await listLostMessages(rows.db)).toEqual([]);
});

test('a gateway is asked for an overdue report, and each time the wait doubles', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await recordSubmits(rows.db, 'simulator', [{ submissionId: id, n: 1, result: 'sent', gatewayMessageId: null, retryAfterMs: 0 }]);
  expect(await takeOverdue(rows.db, 'simulator', NO_JOB())).toEqual([]);
  await rows.db.query(`UPDATE message SET claimed_until = now() - interval '1 second', sent_at = now() - interval '40 seconds'`);

  expect(await takeOverdue(rows.db, 'another', NO_JOB())).toEqual([]);
  expect(await takeOverdue(rows.db, 'simulator', new Date(Date.now() - 60_000))).toEqual([]);
  expect(await takeOverdue(rows.db, 'simulator', NO_JOB())).toEqual([{ submissionId: id, n: 1, recipient: '919800000100' }]);
  expect(await rows.db.query(`SELECT round(extract(epoch FROM claimed_until - now()))::int AS wait FROM message`)).toEqual([{ wait: 40 }]);
});

test('an unsettled report comes again, ever later', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  const report = newReport(id);
  await insertReports(rows.db, [report]);
  await rows.db.query(`UPDATE delivery_report SET received_at = now() - interval '15 seconds'`);

  expect(await takeLostReports(rows.db, NO_JOB())).toEqual([report.id]);
  expect(await takeLostReports(rows.db, NO_JOB())).toEqual([]);
});

test('two rescuers of a name never pass at the same time', async () => {
  await using rows = await openRows();
  let others: (string | undefined)[] = [];

  const first = await rescueAlone(rows.db, 'sms', async () => {
    others = await Promise.all([rescueAlone(rows.db, 'sms', async () => 'ran'), rescueAlone(rows.db, 'dlr', async () => 'ran')]);
    return 'ran';
  });

  expect([first, ...others]).toEqual(['ran', undefined, 'ran']);
});
