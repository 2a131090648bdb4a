import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { noteSteadyHeartbeats } from '@signalbox/test/heartbeats';
import { accept, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { noteHeartbeat } from '../core/settling.ts';
import { type MessageClaim, returnClaims } from '../messages/claims.ts';
import { recordSubmits } from '../messages/submits.ts';
import { reclaim } from '../submissions/reclaim.ts';
import { fanOut } from '../submissions/submissions.ts';
import { insertSubmitBatch, lockAbandonedBatches } from './submit-batches.ts';

test('a batch that Postgres stores late, after its caller gave it up, is not stored', async () => {
  await using rows = await openRows();
  const batch = { id: randomUUIDv7(), gateway: 'fake', lane: 'TRANS' } as const;

  await noteSteadyHeartbeats(rows.db, { lateByMs: 10_000 });
  expect(await insertSubmitBatch(rows.db, batch, [], performance.now())).toBe(false);
  expect(await rows.db.query('SELECT FROM submit_batch')).toEqual([]);

  noteHeartbeat(rows.db, new Date(Date.now() - 20_000), performance.now() - 20_000); // the last before an outage
  expect(await insertSubmitBatch(rows.db, batch, [], performance.now())).toBe(true);
  expect(await rows.db.query('SELECT FROM submit_batch')).toHaveLength(1);
});

test('a search that Postgres runs late finds no abandoned batch', async () => {
  await using rows = await openRows();
  const batch = { id: randomUUIDv7(), gateway: 'fake', lane: 'TRANS' } as const;
  await insertSubmitBatch(rows.db, batch, [], performance.now());
  await rows.db.query(`UPDATE submit_batch SET alive_until = now() - interval '1 second'`);

  await noteSteadyHeartbeats(rows.db, { lateByMs: 60_000 });
  expect(await lockAbandonedBatches(rows.db, ['TRANS'], [])).toEqual([]);
  await noteSteadyHeartbeats(rows.db);
  expect(await lockAbandonedBatches(rows.db, ['TRANS'], [])).toMatchObject([batch]);
});

/** Ways to return the start of a message that is in a batch. */
const RETURNS: Record<string, (db: EntityManager, claim: MessageClaim) => Promise<unknown>> = {
  throttled: (db, { submissionId, n }) =>
    recordSubmits(db, 'fake', [
      { submissionId, n, result: 'throttled', gatewayMessageId: null, retryAfterMs: 1_000 },
    ]),
  returned: (db, claim) => returnClaims(db, [claim]),
};

test.each([
  ['throttled', 'first', 1],
  ['throttled', 'second', 2],
  ['returned', 'first', 1],
  ['returned', 'second', 2],
] as const)(
  'an abandoned batch leaves out a message that was %s at its %s start',
  async (way, _, attempt) => {
    await using rows = await openRows();
    const { id } = await accept(rows.db, { recipients: ['919800000001', '919800000002'] });
    await fanOut(rows.db, [id], 0);
    for (let started = 1; started < attempt; started += 1) await reclaim(rows.db, [id], 0);
    const claims = [1, 2].map((n) => ({ submissionId: id, n, attempt, isResent: false }));
    await insertSubmitBatch(
      rows.db,
      { id: randomUUIDv7(), gateway: 'fake', lane: 'TRANS' },
      claims,
      performance.now(),
    );
    await RETURNS[way]!(rows.db, claims[0]!);
    await rows.db.query(`UPDATE submit_batch SET alive_until = now() - interval '1 second'`);

    const [abandoned] = await lockAbandonedBatches(rows.db, ['TRANS'], []);

    expect(abandoned?.messages).toEqual([{ submissionId: id, n: 2, isResent: false }]);
  },
);
