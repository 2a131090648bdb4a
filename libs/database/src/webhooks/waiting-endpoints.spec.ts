import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { addWebhooks, openRows } from '@signalbox/test/rows';
import { countWaiting } from './endpoints.ts';
import { sweepPushes } from './push-sweep.ts';

/** A few searches in the partitions of some weeks; those of all endpoints read tens of thousands of pages. */
const FEW_PAGES = 500;

test('endpoints with waiting pushes are counted part by part', async () => {
  await using t = await setup(5);

  const first = await countWaiting(t.db, null, 2);
  const second = await countWaiting(t.db, first.next, 2);
  const last = await countWaiting(t.db, second.next, 2);

  expect([first, second, last].map(({ waiting, next }) => [waiting, next])).toEqual([
    [2, t.webhooks[1]],
    [2, t.webhooks[3]],
    [1, null],
  ]);
  expect(Math.max(first.overdueSeconds, last.overdueSeconds)).toBe(0);
  expect(second.overdueSeconds).toBeGreaterThan(59);
});

test('a push whose breaker is open does not count as overdue', async () => {
  await using t = await setup(5);
  expect((await countWaiting(t.db)).overdueSeconds).toBeGreaterThan(59);

  await t.query(
    'INSERT INTO endpoint (webhook_id, open_level, open_until) VALUES ($1, 1, now())',
    t.webhooks[2]!,
  );
  expect(await countWaiting(t.db)).toEqual({ waiting: 5, overdueSeconds: 0, next: null });
});

test('a sweep of pushes stays with its part until nothing is left to give up there', async () => {
  await using t = await setup(5);
  for (const webhookId of [t.webhooks[0]!, t.webhooks[4]!])
    await t.query('UPDATE webhook SET disabled_at = now(), deleted_at = now() WHERE id = $1', webhookId);

  const passes: unknown[] = [];
  let after: string | null = null;
  for (let pass = 0; pass < 4; pass += 1) {
    const { count, next } = await sweepPushes(t.db, after, 2);
    passes.push([count, next]);
    after = next;
  }

  expect(passes).toEqual([
    [1, null],
    [0, t.webhooks[2]],
    [1, t.webhooks[2]],
    [0, null],
  ]);
});

test.each([
  ['sweep', sweepPushes],
  ['count', countWaiting],
] as const)('a %s of endpoints that wait reads its part of them', async (_, read) => {
  await using t = await setup(2_000);

  expect(await countPages(t.db, (counted) => read(counted, null, 20))).toBeLessThan(FEW_PAGES);
});

/** Adds endpoints that each have a waiting push; that of the third is due for a minute. */
async function setup(count: number) {
  const rows = await openRows();
  const accountId = randomUUIDv7();
  const webhooks = (await addWebhooks(rows.db, accountId, count)).toSorted();
  await rows.db.query(
    `INSERT INTO push (report_id, webhook_id, account_id, status, attempts, next_attempt_at)
     SELECT uuidv7(), id, $1, 'WAITING', 1, now() + CASE id WHEN $2 THEN interval '-1 minute' ELSE interval '1 hour' END
       FROM webhook`,
    [accountId, webhooks[2]],
  );
  await rows.db.query('VACUUM ANALYZE webhook, push');
  return { ...rows, webhooks, query: (text: string, id: string) => rows.db.query(text, [id]) };
}
