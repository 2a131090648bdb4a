import { expect, test } from '@jest/globals';
import { LEASE_SECONDS } from '@signalbox/domain/limits';
import { countPages } from '@signalbox/test/count-pages';
import { accept, makeBatchesDue, newSubmission, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { recordSubmits } from '../messages/submits.ts';
import { listLostMessages } from '../ops/rescue.ts';
import { listReady } from './ready-batches.ts';
import { countWaitingMessages, listStarvedLanes } from './ready.ts';
import { fanOut, insertSubmissions } from './submissions.ts';

test('a message that its gateway does not take waits until one takes it', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, { recipients: ['919800000001', '919800000002'] });
  await fanOut(rows.db, [id], LEASE_SECONDS);
  const submit = { submissionId: id, gatewayMessageId: null };
  const count = async () => (await countWaitingMessages(rows.db, 'sms')).map((row) => [row.lane, row.count]);
  expect(Object.fromEntries(await count())).toMatchObject({ TRANS: 0 });

  await recordSubmits(rows.db, 'smsc-1', [
    { ...submit, n: 1, result: 'throttled', retryAfterMs: 1_000 },
    { ...submit, n: 2, result: 'sent', retryAfterMs: 0 },
  ]);
  await makeBatchesDue(rows.db);
  await listLostMessages(rows.db, ['TRANS']);
  expect(await count()).toEqual([
    ['OTP', 0],
    ['TRANS', 1],
    ['PROMO', 0],
  ]);

  await recordSubmits(rows.db, 'smsc-1', [{ ...submit, n: 1, result: 'sent', retryAfterMs: 0 }]);
  expect(Object.fromEntries(await count())).toMatchObject({ TRANS: 0 });
});

test('a count of waiting messages reads no parked message', async () => {
  await using rows = await openRows();
  await rows.db.query(
    `INSERT INTO message (submission_id, n, account_id, recipient, status, credits, lane, gateway, claimed_until, due_at,
                          starts, throttles)
     SELECT uuidv7(), 1, uuidv7(), '919800000100', 'PENDING', 1, 'TRANS', 'smsc-1', now(), due_at, 1, throttles
       FROM (VALUES ('infinity'::timestamptz, 0, 10000), (now(), 2, 3)) AS given(due_at, throttles, messages)
      CROSS JOIN LATERAL generate_series(1, messages)`,
  );
  await rows.db.query('VACUUM ANALYZE message');

  expect(await countWaitingMessages(rows.db, 'sms')).toContainEqual({ lane: 'TRANS', count: 3 });
  expect(await countPages(rows.db, (counted) => countWaitingMessages(counted, 'sms'))).toBeLessThan(30);
});

test('a look for waiting lanes reads no submission that is not ready', async () => {
  await using rows = await openRows();
  await insertSubmissions(
    rows.db,
    Array.from({ length: 2_000 }, () => newSubmission()),
  );
  await listReady(rows.db, ['TRANS'], 'oldest');
  await rows.db.query('ANALYZE ready_sms, submission');
  await rows.db.query('DELETE FROM ready_sms');

  await rows.db.transaction(async (db) => {
    const before = await countReads(db);
    expect(await listStarvedLanes(db, 'sms')).toEqual([]);
    expect((await countReads(db)) - before).toBe(0);
  });
});

/** Counts the submissions that the connection has read, as far as it has not reported them. */
async function countReads(db: EntityManager): Promise<number> {
  const [{ reads }]: [{ reads: number }] = await db.query(
    `SELECT (seq_tup_read + idx_tup_fetch)::integer AS reads
       FROM pg_stat_xact_user_tables
      WHERE relname = 'submission'`,
  );
  return reads;
}

test('a lane waits once its submission has been ready for a second', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  expect(await listStarvedLanes(rows.db, 'sms')).toEqual([]);

  await rows.db.query(`UPDATE submission SET due_at = now() - interval '2 seconds'`);
  expect(await listStarvedLanes(rows.db, 'sms')).toEqual(['TRANS']);

  await fanOut(rows.db, [id], LEASE_SECONDS);
  expect(await listStarvedLanes(rows.db, 'sms')).toEqual([]);
});
