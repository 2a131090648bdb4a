import { expect, test } from '@jest/globals';
import { LEASE_SECONDS, MAX_STARTS } from '@signalbox/domain/limits';
import { untilOneWaits } from '@signalbox/test/locks';
import { accept, openRows } from '@signalbox/test/rows';
import { recordSubmits } from '../messages/submits.ts';
import { cancelSubmission, findProgress } from './progress.ts';
import { reclaim } from './reclaim.ts';
import { fanOut } from './submissions.ts';

test('a cancel that waits for the last messages to be stored cancels them', async () => {
  await using rows = await openRows();
  const { id, accountId } = await accept(rows.db);
  let cancelling: Promise<void> | undefined;

  await rows.db.transaction(async (db) => {
    await fanOut(db, [id], LEASE_SECONDS);
    cancelling = cancelSubmission(rows.db, accountId, 'sms', id);
    await untilOneWaits(rows.db);
  });
  await cancelling;

  expect(await rows.db.query('SELECT cancelled_at IS NOT NULL AS cancelled FROM submission')).toEqual([
    { cancelled: true },
  ]);
});

test('a throttled message is due when it expires, and when its send is cancelled', async () => {
  await using rows = await openRows();
  const expiresAt = new Date(Date.now() + 600_000);
  const { id, accountId } = await accept(rows.db, { expiresAt });
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET due_at = now()`);
  await recordSubmits(rows.db, 'simulator', [
    { submissionId: id, n: 1, result: 'throttled', gatewayMessageId: null, retryAfterMs: 7_200_000 },
  ]);
  expect(await rows.db.query('SELECT claimed_until, due_at FROM message')).toEqual([
    { claimed_until: expiresAt, due_at: new Date(expiresAt.getTime() + 1_000) },
  ]);

  await cancelSubmission(rows.db, accountId, 'sms', id);

  expect(await findProgress(rows.db, accountId, 'sms', id)).toMatchObject({ cancelled: 1 });
  expect(await rows.db.query('SELECT due_at <= now() AS due FROM message')).toEqual([{ due: true }]);
});

test('a message that is claimed while its cancel waits for a lock stays claimed', async () => {
  await using rows = await openRows();
  const { id, accountId } = await accept(rows.db);
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await recordSubmits(rows.db, 'simulator', [
    { submissionId: id, n: 1, result: 'throttled', gatewayMessageId: null, retryAfterMs: 0 },
  ]);
  let cancelling: Promise<void> | undefined;

  await rows.db.transaction(async (db) => {
    await db.query('SELECT FROM submission FOR UPDATE');
    cancelling = cancelSubmission(rows.db, accountId, 'sms', id);
    await untilOneWaits(rows.db);
    expect((await reclaim(rows.db, [id], LEASE_SECONDS)).messages).toHaveLength(1);
  });
  await cancelling;

  expect(await rows.db.query('SELECT claimed_until > now() AS claimed FROM message')).toEqual([
    { claimed: true },
  ]);
});

test('a parked message of a cancelled send stays pending until it is freed', async () => {
  await using rows = await openRows();
  const { id, accountId } = await accept(rows.db, { recipients: ['919800000001', '919800000002'] });
  await fanOut(rows.db, [id], LEASE_SECONDS);
  await rows.db.query(`UPDATE message SET claimed_until = now()`);
  await rows.db.query(`UPDATE message SET starts = $1, due_at = 'infinity' WHERE n = 1`, [MAX_STARTS]);

  await cancelSubmission(rows.db, accountId, 'sms', id);

  expect(await findProgress(rows.db, accountId, 'sms', id)).toMatchObject({
    cancelled: 1,
    statuses: { PENDING: 1 },
  });
});
