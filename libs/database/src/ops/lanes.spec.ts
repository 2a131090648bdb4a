import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { addWebhooks, openRows } from '@signalbox/test/rows';
import { countWaitingPushes, listLaneBacklogs } from './lanes.ts';

test('waiting pushes are counted, those that no call is made for apart', async () => {
  await using t = await openRows();
  expect(await countWaitingPushes(t.db)).toEqual({ pushes: 0, uncalled: 0, nextAttemptAt: null });
  const ids = await addWebhooks(t.db, randomUUIDv7(), 3);
  const [called, disabled, deleted] = ids as [string, string, string];

  for (const webhookId of ids)
    await t.db.query(
      `INSERT INTO push (webhook_id, report_id, account_id, status, attempts, next_attempt_at)
       SELECT $1, uuidv7(), uuidv7(), 'WAITING', 1, timestamptz '2126-11-26 10:00Z' - make_interval(hours => n)
         FROM generate_series(0, CASE WHEN $1 = $2::uuid THEN 1 ELSE 4 END) AS n`,
      [webhookId, called],
    );
  await t.db.query(
    `INSERT INTO push (webhook_id, report_id, account_id, status, attempts) VALUES ($1, uuidv7(), uuidv7(), 'DELIVERED', 1)`,
    [called],
  );
  await t.db.query('UPDATE webhook SET disabled_at = now() WHERE id = $1', [disabled]);
  await t.db.query('UPDATE webhook SET disabled_at = now(), deleted_at = now() WHERE id = $1', [deleted]);

  expect(await countWaitingPushes(t.db)).toEqual({
    pushes: 7,
    uncalled: 5,
    nextAttemptAt: new Date('2126-11-26T09:00:00Z'),
  });
});

test('the next attempt of waiting pushes is when the breaker of their endpoint allows a call', async () => {
  await using t = await openRows();
  const ids = await addWebhooks(t.db, randomUUIDv7(), 2);
  const [broken, closed] = ids as [string, string];
  for (const [webhookId, dueAt] of [
    [broken, '2026-11-26T10:00:00Z'],
    [closed, '2126-11-26T10:00:00Z'],
  ])
    await t.db.query(
      `INSERT INTO push (webhook_id, report_id, account_id, status, attempts, next_attempt_at)
       VALUES ($1, uuidv7(), uuidv7(), 'WAITING', 1, $2)`,
      [webhookId, dueAt],
    );
  const open = (until: string): Promise<unknown> =>
    t.db.query(
      `INSERT INTO endpoint (webhook_id, open_level, open_until) VALUES ($1, 1, $2)
       ON CONFLICT ON CONSTRAINT endpoint_pkey DO UPDATE SET open_until = $2`,
      [broken, until],
    );
  const next = async (): Promise<string | undefined> =>
    (await countWaitingPushes(t.db)).nextAttemptAt?.toISOString();

  await open('2126-11-26T09:30:00Z');
  expect(await next()).toBe('2126-11-26T09:30:00.000Z');
  await open('2126-11-26T10:30:00Z');
  expect(await next()).toBe('2126-11-26T10:00:00.000Z');
});

test('the backlog of an account with many sends that wait reads and counts the first of them', async () => {
  await using t = await openRows();
  const accountId = randomUUIDv7();
  await t.db.query(`INSERT INTO account (id, name) VALUES ($1, 'Shop')`, [accountId]);
  for (const [channel, lane] of [
    ['sms', 'TRANS'],
    ['chatapp', 'CHAT'],
  ])
    await t.db.query(
      `INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, recipients, credits, waits, due_at,
                               send_at)
       SELECT uuidv7(), $1, $2, 'text', $3, 'ACME', '{}', '{919800000001}', 1, true, due.at, due.at
         FROM generate_series(1, 10000) AS n
        CROSS JOIN LATERAL (SELECT timestamptz '2126-11-26 10:00Z' - make_interval(secs => n) AS at) AS due`,
      [accountId, channel, lane],
    );
  await t.db.query('VACUUM ANALYZE submission');

  const first = { accountId, scheduled: 1_000, nextDueAt: new Date('2126-11-26T07:13:20Z') };
  expect(await listLaneBacklogs(t.db, 10)).toMatchObject([
    { ...first, lane: 'CHAT' },
    { ...first, lane: 'TRANS' },
  ]);
  expect(await countPages(t.db, (db) => listLaneBacklogs(db, 10))).toBeLessThan(3_000);
});
