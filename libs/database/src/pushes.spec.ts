import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS, MAX_STARTS } from '@signalbox/domain/limits';
import { accept, newReport, openRows } from '@signalbox/tools/test/rows';
import { type PushOutcome, claimPushes, recordPushes } from './pushes.ts';
import { insertReports } from './reports.ts';
import { fanOut } from './submissions.ts';

test('a push that succeeds at once is one row, and settles its report', async () => {
  await using t = await setup();

  await recordPushes(t.db, [t.reportId], [t.outcome({ status: 'DELIVERED', attempts: 1, responseStatus: 200, durationMs: 12 })]);

  expect(await t.pushes()).toEqual([{ status: 'DELIVERED', attempts: 1, error: null, waits: false }]);
  expect(await t.db.query('SELECT settled_at IS NOT NULL AS settled FROM delivery_report')).toEqual([{ settled: true }]);
});

test('a failed try is kept, and the push waits for its next one', async () => {
  await using t = await setup();

  await recordPushes(t.db, [t.reportId], [t.failed(1)]);

  expect(await t.pushes()).toEqual([{ status: 'WAITING', attempts: 1, error: 'bad_status', waits: true }]);
  expect(await t.db.query('SELECT attempt, response_status, error FROM push_attempt')).toEqual([
    { attempt: 1, response_status: 500, error: 'bad_status' },
  ]);
});

test('a push is claimed by one of two workers, and by none before its time', async () => {
  await using t = await setup();
  await recordPushes(t.db, [t.reportId], [t.failed(1, 60_000)]);
  expect(await claimPushes(t.db, [t.key], 20)).toEqual([]);
  await t.makeDue();

  const claims = await Promise.all([claimPushes(t.db, [t.key], 20), claimPushes(t.db, [t.key], 20)]);

  expect(claims.flat()).toMatchObject([{ ...t.key, attempts: 1, recipient: '919800000100' }]);
});

test('an outcome older than what is known changes nothing', async () => {
  await using t = await setup();
  await recordPushes(t.db, [t.reportId], [t.failed(2)]);

  await recordPushes(t.db, [], [t.failed(1)]);
  expect(await t.pushes()).toMatchObject([{ attempts: 2 }]);

  await recordPushes(t.db, [], [t.outcome({ status: 'DELIVERED', attempts: 3 })]);
  await recordPushes(t.db, [], [t.failed(4)]);
  expect(await t.pushes()).toMatchObject([{ status: 'DELIVERED', attempts: 3 }]);
});

test('a push that is put off again and again is never parked for it', async () => {
  await using t = await setup();
  const putOff = t.outcome({ status: 'WAITING', attempts: 0, nextDelayMs: 0, error: 'put_off' });
  await recordPushes(t.db, [t.reportId], [putOff]);

  for (let turn = 0; turn < MAX_STARTS + 2; turn += 1) {
    expect(await claimPushes(t.db, [t.key], 20)).toHaveLength(1);
    await recordPushes(t.db, [], [putOff]);
  }
});

test('a push whose workers always die is parked', async () => {
  await using t = await setup();
  await recordPushes(t.db, [t.reportId], [t.failed(1, 0)]);

  let claims = 0;
  for (let turn = 0; turn < MAX_STARTS + 5; turn += 1) {
    claims += (await claimPushes(t.db, [t.key], 20)).length;
    await t.makeDue();
  }

  expect(claims).toBe(MAX_STARTS);
});

async function setup() {
  const rows = await openRows();
  const accountId = randomUUIDv7();
  const { id } = await accept(rows.db, { accountId });
  await fanOut(rows.db, [id], LEASE_SECONDS);
  const report = newReport(id);
  await insertReports(rows.db, [report]);
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
    answer: '',
    failedAttempt: false,
    ...given,
  });
  return {
    ...rows,
    key,
    reportId: report.id,
    outcome,
    failed: (attempts: number, nextDelayMs = 5_000) =>
      outcome({ attempts, nextDelayMs, responseStatus: 500, error: 'bad_status', durationMs: 3, failedAttempt: true }),
    makeDue: () => rows.db.query('UPDATE push SET next_attempt_at = now()'),
    pushes: () => rows.db.query('SELECT status, attempts, error, next_attempt_at IS NOT NULL AS waits FROM push'),
  };
}
