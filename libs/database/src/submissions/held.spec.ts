import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { letTimePass, numbers, quietNow, takeRound } from '@signalbox/test/rounds';
import { accept, newReport, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { recordSubmits } from '../messages/submits.ts';
import { applyReports, insertReports } from '../reports/reports.ts';
import { cancelSubmission, findProgress } from './progress.ts';
import { claimHeld, reclaim } from './reclaim.ts';
import { fanOut, makeDueReady } from './submissions.ts';

test('quiet hours hold only the recipients they are for, until they end', async () => {
  await using rows = await openRows();
  const { id, accountId } = await accept(rows.db, {
    recipients: ['919800000001', '33600000001', '919800000002'],
  });
  const quiet = quietNow('91');
  expect(await fanOut(rows.db, [id], LEASE_SECONDS, quiet)).toEqual([]);

  const { chunks } = await takeRound(rows.db, { quiet });

  expect(chunks[0]).toMatchObject({ skipped: [1, 3], complete: false, reportIds: null });
  const progress = await findProgress(rows.db, accountId, 'sms', id);
  expect(progress).toMatchObject({ held: 2, statuses: { PENDING: 3 } });
  const heldMinutes = ((progress?.heldUntil?.getTime() ?? 0) - Date.now()) / 60_000;
  expect(heldMinutes).toBeGreaterThan(58);
  expect(heldMinutes).toBeLessThan(61);

  expect(await makeDueReady(rows.db, 'sms')).toEqual({ lanes: [], isFull: false });
  expect((await takeRound(rows.db, { quiet })).chunks).toEqual([]);
});

test('held messages are released when due, at the rate of their submission', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, { recipients: numbers(5), ratePerSecond: 4, waits: true });
  await makeDueReady(rows.db, 'sms');
  for (let round = 0; round < 3; round += 1) {
    await takeRound(rows.db, { quiet: quietNow('91') });
    await letTimePass(rows.db);
  }

  const released = [];
  for (let round = 0; round < 4; round += 1) {
    const { heldDue } = await takeRound(rows.db);
    const { messages } = await claimHeld(rows.db, heldDue, LEASE_SECONDS, []);
    released.push(messages.map(({ n, attempt }) => [n, attempt]));
    await letTimePass(rows.db);
  }

  expect(released).toEqual([
    [
      [1, 1],
      [2, 1],
    ],
    [
      [3, 1],
      [4, 1],
    ],
    [[5, 1]],
    [],
  ]);
  expect(
    await rows.db.query(
      `SELECT fanned_out_at IS NOT NULL AS done, held_until FROM submission WHERE id = $1`,
      [id],
    ),
  ).toEqual([{ done: true, held_until: null }]);
});

test('a message whose retry drifts into quiet hours is held too, and its submission waits again', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET claimed_until = now()`);

  expect(await reclaim(rows.db, [id], LEASE_SECONDS, quietNow('91'))).toMatchObject({
    messages: [],
    reportIds: [],
  });
  expect(await rows.db.query(`SELECT held_until > now() AS held, starts FROM message`)).toEqual([
    { held: true, starts: 1 },
  ]);

  await letTimePass(rows.db);
  const { heldDue } = await takeRound(rows.db);
  expect((await claimHeld(rows.db, heldDue, LEASE_SECONDS, [])).messages).toHaveLength(1);
});

test.each([
  ['reported delivered', false, (db: EntityManager, id: string) => report(db, id, 'DELIVERED')],
  ['reported sent', true, (db: EntityManager, id: string) => report(db, id, 'SENT')],
  [
    'recorded',
    true,
    (db: EntityManager, id: string) =>
      recordSubmits(db, 'simulator', [
        { submissionId: id, n: 1, result: 'sent', gatewayMessageId: null, retryAfterMs: 0 },
      ]),
  ],
])('a held message whose first submit is %s later is not sent again', async (_, isAsked, finish) => {
  await using rows = await openRows();
  const { id, accountId } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET claimed_until = now()`);
  await reclaim(rows.db, [id], LEASE_SECONDS, quietNow('91'));
  await finish(rows.db, id);
  const before = await rows.db.query(`SELECT status, moved_by, held_until FROM message`);
  expect(await rows.db.query(`SELECT asks IS NOT NULL AND due_at > now() AS "isAsked" FROM message`)).toEqual(
    [{ isAsked }],
  );

  await cancelSubmission(rows.db, accountId, 'sms', id);
  await letTimePass(rows.db);
  const { heldDue, more } = await takeRound(rows.db);

  expect([heldDue, more]).toEqual([[], false]);
  expect(await claimHeld(rows.db, [{ id, take: 10 }], LEASE_SECONDS, [])).toEqual({
    messages: [],
    reportIds: [],
  });
  expect(before).toMatchObject([{ status: expect.not.stringMatching('PENDING'), held_until: null }]);
  expect(await rows.db.query(`SELECT status, moved_by, held_until FROM message`)).toEqual(before);
});

test('messages that are held until different times are due at the first of them', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, { recipients: ['919800000001', '33600000001'] });
  await takeRound(rows.db, { quiet: quietNow('91') });
  await letTimePass(rows.db);
  await rows.db.query(`UPDATE submission SET held_until = now() - interval '1 second'`);
  await rows.db.query(`UPDATE message SET claimed_until = now() WHERE n = 2`);

  await reclaim(rows.db, [id], LEASE_SECONDS, quietNow('33'));

  expect(await rows.db.query(`SELECT due_at <= now() AS due FROM submission`)).toEqual([{ due: true }]);
});

test('held messages that expire or are cancelled end without being sent', async () => {
  await using rows = await openRows();
  const [late, cancelled] = [await accept(rows.db), await accept(rows.db)];
  await takeRound(rows.db, { quiet: quietNow('91') });
  await rows.db.query(`UPDATE submission SET expires_at = now(), due_at = now() WHERE id = $1`, [late.id]);
  await cancelSubmission(rows.db, cancelled.accountId, 'sms', cancelled.id);
  expect(await findProgress(rows.db, cancelled.accountId, 'sms', cancelled.id)).toMatchObject({
    cancelled: 1,
    held: 0,
    heldUntil: null,
  });

  await makeDueReady(rows.db, 'sms');
  const { heldDue } = await takeRound(rows.db, { quiet: quietNow('91') });
  const { messages, reportIds } = await claimHeld(rows.db, heldDue, LEASE_SECONDS, quietNow('91'));

  expect(messages).toEqual([]);
  expect(reportIds).toHaveLength(2);
  expect(
    await rows.db.query(
      'SELECT submission_id, err_code FROM message WHERE held_until IS NULL ORDER BY submission_id',
    ),
  ).toEqual([
    { submission_id: late.id, err_code: '901' },
    { submission_id: cancelled.id, err_code: '902' },
  ]);
});

test('a cancelled send of which a part is held ends in the next rounds', async () => {
  await using rows = await openRows();
  const quiet = quietNow('91');
  const { id, accountId } = await accept(rows.db, {
    recipients: numbers(100),
    ratePerSecond: 20,
    waits: true,
  });
  await makeDueReady(rows.db, 'sms');
  await takeRound(rows.db, { quiet });
  await cancelSubmission(rows.db, accountId, 'sms', id);
  await makeDueReady(rows.db, 'sms');

  const { chunks, more } = await takeRound(rows.db, { quiet });
  expect(chunks[0]?.reportIds).toHaveLength(90);
  expect(more).toBe(true);
  expect(await rows.db.query('SELECT due_at <= now() AS due FROM submission')).toEqual([{ due: true }]);

  const { heldDue } = await takeRound(rows.db, { quiet });
  const { reportIds } = await claimHeld(rows.db, heldDue, LEASE_SECONDS, quiet);
  expect(reportIds).toHaveLength(10);
  expect(await takeRound(rows.db, { quiet })).toMatchObject({ heldDue: [], more: false });
  expect(await rows.db.query('SELECT fanned_out_at IS NOT NULL AS done FROM submission')).toEqual([
    { done: true },
  ]);
});

test('held messages are due when they expire, if that comes first', async () => {
  await using rows = await openRows();
  await accept(rows.db, { expiresAt: new Date(Date.now() + 60_000) });

  await takeRound(rows.db, { quiet: quietNow('91') });

  expect(await rows.db.query('SELECT due_at = expires_at AS same FROM submission')).toEqual([{ same: true }]);
});

test.each([
  ['over midnight, in the evening', -60, 600, true],
  ['over midnight, in the morning', -600, 60, true],
  ['just over', -600, -1, false],
  ['not yet begun', 2, 600, false],
])('quiet hours %s', async (_, fromMinutes, untilMinutes, isQuiet) => {
  await using rows = await openRows();
  const [{ from, until }] = await rows.db.query(
    `SELECT to_char(now() AT TIME ZONE 'Asia/Kolkata' + make_interval(mins => $1), 'HH24:MI') AS from,
            to_char(now() AT TIME ZONE 'Asia/Kolkata' + make_interval(mins => $2), 'HH24:MI') AS until`,
    [fromMinutes, untilMinutes],
  );
  await accept(rows.db);

  await takeRound(rows.db, { quiet: [{ lane: 'TRANS', prefix: '91', from, until, zone: 'Asia/Kolkata' }] });

  expect(await rows.db.query('SELECT held_until IS NOT NULL AS held FROM message')).toEqual([
    { held: isQuiet },
  ]);
});

async function report(db: EntityManager, submissionId: string, status: 'SENT' | 'DELIVERED'): Promise<void> {
  const stored = newReport(submissionId, { status });
  await insertReports(db, [stored]);
  await applyReports(db, [stored.id]);
}
