import { randomUUIDv7 } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { openSharedRows } from '@signalbox/test/shared-rows';
import { LANES, CHAT_LANES, SMS_LANES } from '@signalbox/domain/lane';
import { LEASE_SECONDS, MAX_STARTS } from '@signalbox/domain/limits';
import { countPages } from '@signalbox/test/count-pages';
import { makeBatchesDue, newReport, newSubmission } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { insertReports } from '../reports/reports.ts';
import { fanOut, insertSubmissions } from '../submissions/submissions.ts';
import { recordPushes } from '../webhooks/pushes.ts';
import { claimLostReports, claimOverdue, listLostMessages } from './rescue.ts';
import { countParked } from './starts.ts';

const OPEN = 200_000;
const BATCH = 20_000;
/** A few pages for each index that is searched. The open rows of each kind have thousands. */
const FEW_PAGES = 60;
const NO_JOB = (): Date => new Date(Date.now() + 1_000);

let db: EntityManager;

/**
 * Half of the messages wait for their next question, half were given up; the reports match no message and are parked.
 */
const rows = await openSharedRows();

beforeAll(async () => {
  db = rows.db;
  for (let filled = 0; filled < OPEN; filled += BATCH) {
    await insertMessages(BATCH, {
      status: `'SENT'`,
      asks: `CASE n % 2 WHEN 0 THEN 'simulator' END`,
      due_at: `CASE n % 2 WHEN 0 THEN now() + interval '1 hour' END`,
      sent_at: `now() - CASE n % 2 WHEN 0 THEN interval '1 hour' ELSE interval '2 days' END`,
    });
    await db.query(
      `INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at, received_at, starts, due_at)
       SELECT uuidv7(), 'simulator', uuidv7(), 1, 'DELIVERED', '000', '', now(), now() - interval '1 day', $2, 'infinity'
         FROM generate_series(1, $1)`,
      [BATCH, MAX_STARTS],
    );
  }
  await db.query('ANALYZE message, message_event');
});

test('a rescue with nothing due among 200,000 open messages reads few pages', async () => {
  expect(await countPages(db, (counted) => listLostMessages(counted, LANES))).toBeLessThan(FEW_PAGES);
  expect(await countPages(db, (counted) => claimOverdue(counted, 'simulator', NO_JOB()))).toBeLessThan(
    FEW_PAGES,
  );
});

test('a batch whose messages and reports are settled is read by few pages', async () => {
  const submissions = Array.from({ length: 1_000 }, () => newSubmission());
  const ids = submissions.map(({ id }) => id);
  await insertSubmissions(db, submissions);
  await fanOut(db, ids, LEASE_SECONDS);
  const reports = ids.map((id) => newReport(id));
  await insertReports(db, reports);
  await db.query(`UPDATE message SET status = 'DELIVERED' WHERE submission_id = ANY($1::uuid[])`, [ids]);
  const reportIds = reports.map(({ id }) => id);
  await recordPushes(db, reportIds, []);
  await makeBatchesDue(db);

  // a look-up of each row reads four
  const most = 2 * ids.length;
  expect(await countPages(db, (counted) => listLostMessages(counted, LANES))).toBeLessThan(most);
  expect(await countPages(db, (counted) => claimLostReports(counted, NO_JOB(), false))).toBeLessThan(most);
});

test('a report that may wait in the queue costs no search of the messages that wait for theirs', async () => {
  await insertMessages(20_000, {
    gateway: `'busy'`,
    asks: `'busy'`,
    status: `'SENT'`,
    due_at: `now() - interval '1 minute'`,
    sent_at: `now() - interval '70 seconds'`,
  });
  const oldestJobAt = new Date(Date.now() - 300_000);

  expect(await countPages(db, (counted) => claimOverdue(counted, 'busy', oldestJobAt))).toBeLessThan(
    FEW_PAGES,
  );
  expect(await claimOverdue(db, 'busy', NO_JOB())).toHaveLength(5_000);
});

test('parked reports are not read again, and are counted up to 10,000', async () => {
  expect(await countPages(db, (counted) => claimLostReports(counted, NO_JOB(), false))).toBeLessThan(
    FEW_PAGES,
  );
  expect(await countParked(db)).toEqual({
    message: 0,
    submission: 0,
    message_event: 10_000,
    template: 0,
    callback: 0,
    verification: 0,
  });
});

test('the lost messages of one lane do not hide those of another', async () => {
  await insertMessages(20_000, { lane: `'CHAT'`, due_at: `now() - interval '1 hour'` });
  const [lost] = await insertMessages(1, { due_at: `now() - interval '2 seconds'` });

  expect(await listLostMessages(db, SMS_LANES)).toEqual([{ lane: 'TRANS', submissionIds: [lost] }]);
  const [chat, ...others] = await listLostMessages(db, CHAT_LANES);
  expect([chat?.lane, chat?.submissionIds.length, others]).toEqual(['CHAT', 5_000, []]);
});

test('a gateway is asked about a message for a day, and then never again', async () => {
  const [young, last, old] = await insertMessages(3, {
    gateway: `'silent'`,
    asks: `'silent'`,
    status: `'SENT'`,
    due_at: `now() - interval '1 second'`,
    sent_at: `now() - (ARRAY[interval '1 hour', interval '20 hours', interval '25 hours'])[n]`,
  });

  expect((await claimOverdue(db, 'silent', NO_JOB())).map(({ submissionId }) => submissionId)).toEqual([
    young,
    last,
  ]);
  expect(
    await db.query(
      `SELECT submission_id AS id, due_at IS NULL AS "isLast" FROM message WHERE gateway = 'silent' ORDER BY id`,
    ),
  ).toEqual([
    { id: young, isLast: false },
    { id: last, isLast: true },
    { id: old, isLast: true },
  ]);
});

/**
 * Inserts messages of separate submissions, pending and of the lane TRANS by default, and returns the ids of the
 * submissions.
 */
async function insertMessages(count: number, given: Record<string, string>): Promise<string[]> {
  const columns = {
    status: `'PENDING'`,
    lane: `'TRANS'`,
    gateway: `'simulator'`,
    claimed_until: `now() - interval '1 minute'`,
    ...given,
  };
  const inserted: { id: string }[] = await db.query(
    `INSERT INTO message (submission_id, n, account_id, recipient, credits, ${Object.keys(columns).join(', ')})
     SELECT uuidv7(), 1, $2, '919800000100', 1, ${Object.values(columns).join(', ')}
       FROM generate_series(1, $1) AS n
     RETURNING submission_id AS id`,
    [count, randomUUIDv7()],
  );
  return inserted.map(({ id }) => id).toSorted();
}
