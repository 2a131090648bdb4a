import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { noteSteadyHeartbeats } from '@signalbox/test/heartbeats';
import { openRows } from '@signalbox/test/rows';
import { insertSubmitBatch, lockAbandonedBatches } from './submit-batches.ts';

test('a search that Postgres runs late finds no abandoned batch', async () => {
  await using rows = await openRows();
  const batch = { id: randomUUIDv7(), gateway: 'fake', lane: 'TRANS' } as const;
  await insertSubmitBatch(rows.db, batch, []);
  await rows.db.query(`UPDATE submit_batch SET alive_until = now() - interval '1 second'`);

  await noteSteadyHeartbeats(rows.db, { lateByMs: 60_000 });
  expect(await lockAbandonedBatches(rows.db, ['TRANS'], [])).toEqual([]);
  await noteSteadyHeartbeats(rows.db);
  expect(await lockAbandonedBatches(rows.db, ['TRANS'], [])).toMatchObject([batch]);
});
