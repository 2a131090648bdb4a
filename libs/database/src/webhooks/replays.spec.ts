import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { addWebhooks, newReport, openRows } from '@signalbox/test/rows';
import { insertReports } from '../reports/reports.ts';
import { MAX_REPLAYS } from './replay-limit.ts';
import { advanceReplays, findReplay, insertReplay } from './replays.ts';

test('a replay of a range counts for each push, and skips those at the limit', async () => {
  await using t = await setup();
  const below = await t.exhausted(MAX_REPLAYS - 1);
  const atLimit = await t.exhausted(MAX_REPLAYS);

  const replay = await t.replayAll();

  expect(await t.push(below)).toEqual({ status: 'WAITING', replays: MAX_REPLAYS });
  expect(await t.push(atLimit)).toEqual({ status: 'EXHAUSTED', replays: MAX_REPLAYS });
  expect(replay).toMatchObject({ replayed: 1 });
});

async function setup() {
  const rows = await openRows();
  const accountId = randomUUIDv7();
  const [webhookId] = (await addWebhooks(rows.db, accountId, 1)) as [string];
  return {
    ...rows,
    exhausted: async (replays: number): Promise<string> => {
      const reportId = randomUUIDv7();
      await rows.db.query(
        `INSERT INTO push (report_id, webhook_id, account_id, status, attempts, starts, replays, finished_at)
         VALUES ($1, $2, $3, 'EXHAUSTED', 12, 12, $4, now())`,
        [reportId, webhookId, accountId, replays],
      );
      await insertReports(rows.db, [newReport(randomUUIDv7(), { id: reportId })]);
      return reportId;
    },
    replayAll: async () => {
      const id = randomUUIDv7();
      await insertReplay(rows.db, accountId, {
        id,
        webhookId,
        status: 'RUNNING',
        statuses: ['EXHAUSTED'],
        from: new Date(Date.now() - 3_600_000),
        to: new Date(Date.now() + 3_600_000),
        ratePerSecond: 1_000,
        total: 2,
        replayed: 0,
        createdAt: new Date(),
        finishedAt: null,
      });
      await rows.db.query(`UPDATE push_replay SET advanced_at = now() - interval '2 seconds'`);
      await advanceReplays(rows.db);
      return findReplay(rows.db, accountId, webhookId, id);
    },
    push: async (reportId: string): Promise<object> => {
      const [push]: [object] = await rows.db.query('SELECT status, replays FROM push WHERE report_id = $1', [
        reportId,
      ]);
      return push;
    },
  };
}
