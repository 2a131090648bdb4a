import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { addWebhooks, newReport, openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { insertReports } from '../reports/reports.ts';
import { MAX_REPLAYS } from './replay-limit.ts';
import { type Replay, advanceReplays, findReplay, insertReplay } from './replays.ts';

test('a replay of a range counts for each push, and skips those at the limit', async () => {
  await using rows = await openRows();
  const t = await addTenant(rows.db);
  const below = await t.exhausted(MAX_REPLAYS - 1);
  const atLimit = await t.exhausted(MAX_REPLAYS);
  const replay = await t.replayAll(1_000);

  await advanceAll(rows.db);

  expect(await t.push(below)).toEqual({ status: 'WAITING', replays: MAX_REPLAYS });
  expect(await t.push(atLimit)).toEqual({ status: 'EXHAUSTED', replays: MAX_REPLAYS });
  expect(await t.replay(replay)).toMatchObject({ replayed: 1 });
});

test('many replays of one account leave room for that of another', async () => {
  await using rows = await openRows();
  const [busy, other] = [await addTenant(rows.db), await addTenant(rows.db)];
  for (let i = 0; i < 10; i += 1) await busy.exhausted(0);
  for (let i = 0; i < 50; i += 1) await busy.replayAll(1);
  await other.exhausted(0);
  const replay = await other.replayAll(1);

  await advanceAll(rows.db);
  await advanceAll(rows.db);

  expect(await other.replay(replay)).toMatchObject({ replayed: 1 });
});

test('a replay whose rate is out of range advances, and delays no other', async () => {
  await using rows = await openRows();
  const [damaged, other] = [await addTenant(rows.db), await addTenant(rows.db)];
  await other.exhausted(0);
  await damaged.replayAll(2_147_483_647);
  const replay = await other.replayAll(1);

  await advanceAll(rows.db);

  expect(await other.replay(replay)).toMatchObject({ replayed: 1 });
});

test('a step reads no more pushes than its replay makes due', async () => {
  await using rows = await openRows();
  const t = await addTenant(rows.db);
  await t.exhausted(0);
  for (let i = 0; i < 10; i += 1) await t.replayAll(1);
  await rows.db.query(
    `INSERT INTO push (report_id, webhook_id, account_id, status, attempts, starts, finished_at)
     SELECT uuidv7(), webhook_id, account_id, status, attempts, starts, finished_at
       FROM push, generate_series(1, 1000)`,
  );

  await rows.db.transaction(async (db) => {
    await db.query('SET LOCAL enable_seqscan = off');
    await db.query('SET LOCAL enable_bitmapscan = off');
    await advanceAll(db);
    const [{ read }]: [{ read: number }] = await db.query(
      `SELECT sum(idx_tup_fetch)::integer AS read FROM pg_stat_xact_user_tables WHERE relname LIKE 'push!_%' ESCAPE '!'`,
    );
    expect(read).toBeLessThan(200);
  });
});

test('a replay passes pushes of other statuses, and ends after the last', async () => {
  await using rows = await openRows();
  const t = await addTenant(rows.db);
  const [first, delivered, last] = [await t.exhausted(0), await t.exhausted(0), await t.exhausted(0)];
  await rows.db.query(`UPDATE push SET status = 'DELIVERED' WHERE report_id <> $1`, [delivered]);
  const replay = await t.replayAll(1_000, ['DELIVERED']);

  await advanceAll(rows.db);
  expect(await t.replay(replay)).toMatchObject({ status: 'RUNNING', replayed: 2 });
  await advanceAll(rows.db);

  expect(await t.replay(replay)).toMatchObject({ status: 'DONE', replayed: 2 });
  for (const id of [first, last]) expect(await t.push(id)).toMatchObject({ status: 'WAITING' });
  expect(await t.push(delivered)).toMatchObject({ status: 'EXHAUSTED' });
});

/** Advances the replays as if the last step was two seconds ago. */
async function advanceAll(db: EntityManager): Promise<void> {
  await db.query(`UPDATE push_replay SET advanced_at = advanced_at - interval '2 seconds'`);
  await advanceReplays(db);
}

async function addTenant(db: EntityManager) {
  const accountId = randomUUIDv7();
  const [webhookId] = (await addWebhooks(db, accountId, 1)) as [string];
  return {
    exhausted: async (replays: number): Promise<string> => {
      const reportId = randomUUIDv7();
      await db.query(
        `INSERT INTO push (report_id, webhook_id, account_id, status, attempts, starts, replays, finished_at)
         VALUES ($1, $2, $3, 'EXHAUSTED', 12, 12, $4, now())`,
        [reportId, webhookId, accountId, replays],
      );
      await insertReports(db, [newReport(randomUUIDv7(), { id: reportId })]);
      return reportId;
    },
    replayAll: async (
      ratePerSecond: number,
      statuses: Replay['statuses'] = ['EXHAUSTED'],
    ): Promise<string> => {
      const id = randomUUIDv7();
      await insertReplay(db, accountId, {
        id,
        webhookId,
        status: 'RUNNING',
        statuses,
        from: new Date(Date.now() - 3_600_000),
        to: new Date(Date.now() + 3_600_000),
        ratePerSecond,
        total: 2,
        replayed: 0,
        createdAt: new Date(),
        finishedAt: null,
      });
      return id;
    },
    replay: (id: string) => findReplay(db, accountId, webhookId, id),
    push: async (reportId: string): Promise<object> => {
      const [push]: [object] = await db.query('SELECT status, replays FROM push WHERE report_id = $1', [
        reportId,
      ]);
      return push;
    },
  };
}
