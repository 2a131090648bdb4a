import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { accept, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { wakeWaiting } from './wake-waiting.ts';

test('waking reads no messages that their gateway has throttled for an hour', async () => {
  await using rows = await openRows();
  const { id } = await accept(rows.db);
  await addThrottled(rows.db, id, { count: 5_000, gateway: 'slow', forSeconds: 3_600 });
  await rows.db.query('ANALYZE message');

  const wake = (db: EntityManager) => wakeWaiting(db, ['TRANS'], { limit: 1, withinMs: 600_000 });
  expect(await countPages(rows.db, wake)).toBeLessThan(20);

  await addThrottled(rows.db, id, { count: 1, gateway: null, forSeconds: 590 });
  expect(await wake(rows.db)).toEqual([{ lane: 'TRANS', messages: 1, submissionIds: [id] }]);
});

/** Stores messages of a submission as the record of a submit leaves them. */
async function addThrottled(
  db: EntityManager,
  id: string,
  { count, gateway, forSeconds }: { count: number; gateway: string | null; forSeconds: number },
): Promise<void> {
  await db.query(
    `INSERT INTO message (submission_id, n, account_id, lane, recipient, status, credits, starts, throttles, gateway,
                          claimed_until, due_at)
     SELECT s.id, COALESCE((SELECT max(n) FROM message), 0) + g, s.account_id, s.lane, s.recipients[1], 'PENDING', 1, 0, 1, $3,
            now() + make_interval(secs => $4), now() + make_interval(secs => $4 + 1)
       FROM submission s, generate_series(1, $2::integer) AS g
      WHERE s.id = $1`,
    [id, count, gateway, forSeconds],
  );
}
