import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { LEASE_SECONDS, MAX_STARTS } from '@signalbox/domain/limits';
import { quietNow, takeRound } from '@signalbox/test/rounds';
import { accept, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { returnClaims } from '../messages/claims.ts';
import { reclaim } from '../submissions/reclaim.ts';
import { fanOut } from '../submissions/submissions.ts';
import { setAside } from '../submissions/set-aside.ts';
import { type ParkedFilter, type ParkedRow, discardParked, freeParked, listParked } from './parked.ts';

test('held messages of a discarded submission fail as cancelled ones, each with its report', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db, { recipients: ['919800000001', '919800000002'] });
  await takeRound(rows.db, { quiet: quietNow('91') });
  await setAside(rows.db, 'sms', id);

  await discardParked(rows.db, 'submission', [{ id, n: 0 }], { reason: 'damaged', actor: 'cli' });

  expect(await rows.db.query('SELECT n FROM message WHERE due_at <= now() ORDER BY n')).toEqual([
    { n: 1 },
    { n: 2 },
  ]);
  const { messages, reportIds } = await reclaim(rows.db, [id], LEASE_SECONDS);
  expect([messages, reportIds.length]).toEqual([[], 2]);
  expect(await rows.db.query('SELECT DISTINCT status, err_code FROM message')).toEqual([
    { status: 'FAILED', err_code: '902' },
  ]);
});

test('a parked row of a small account and gateway is listed behind 10,000 others', async () => {
  await using rows = await openRows();
  const [accountId, otherId] = [randomUUIDv7(), randomUUIDv7()];
  await parkMessages(rows.db, { accountId: otherId, gateway: 'busy', count: 10_000 });
  const [id] = await parkMessages(rows.db, { accountId, gateway: 'quiet', count: 1 });

  const list = (filter: Partial<ParkedFilter>): Promise<ParkedRow[]> =>
    listParked(rows.db, 'message', { accountId: null, gateway: null, ...filter }, 10);
  expect(await list({ accountId })).toMatchObject([{ id }]);
  expect(await list({ gateway: 'quiet' })).toMatchObject([{ id }]);
  expect(await list({ accountId: otherId, gateway: 'quiet' })).toEqual([]);
});

test('the claim of a freed message is left alone by a worker that had its first claim', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await fanOut(rows.db, [id], 0);
  for (let starts = 1; starts < MAX_STARTS; starts += 1) await reclaim(rows.db, [id], 0);
  expect((await reclaim(rows.db, [id], LEASE_SECONDS)).messages).toEqual([]);

  await freeParked(rows.db, 'message', [{ id, n: 1 }]);
  expect((await reclaim(rows.db, [id], LEASE_SECONDS)).messages).toHaveLength(1);
  await returnClaims(rows.db, [{ submissionId: id, n: 1, attempt: 1 }]);

  expect((await reclaim(rows.db, [id], LEASE_SECONDS)).messages).toEqual([]);
});

/** Stores parked messages of separate submissions. Returns the ids of the submissions. */
async function parkMessages(
  db: EntityManager,
  { accountId, gateway, count }: { accountId: string; gateway: string; count: number },
): Promise<string[]> {
  const parked: { id: string }[] = await db.query(
    `INSERT INTO message (submission_id, n, account_id, recipient, status, credits, lane, gateway, claimed_until, due_at)
     SELECT uuidv7(), 1, $1, '919800000100', 'PENDING', 1, 'TRANS', $2, now(), 'infinity'
       FROM generate_series(1, $3)
     RETURNING submission_id AS id`,
    [accountId, gateway, count],
  );
  return parked.map(({ id }) => id);
}
