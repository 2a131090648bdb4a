import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { addWebhooks, openRows } from '@signalbox/test/rows';
import { readEndpointStats } from './deliveries.ts';
import { listWebhookHealth } from './endpoint-hours.ts';

test('the next attempt of an endpoint needs a due push, an enabled webhook and its breaker', async () => {
  await using t = await openRows();
  const accountId = randomUUIDv7();
  const [webhookId] = (await addWebhooks(t.db, accountId, 1)) as [string];
  const push = (dueAt: string) =>
    t.db.query(
      `INSERT INTO push (webhook_id, report_id, account_id, status, attempts, next_attempt_at)
       VALUES ($1, uuidv7(), uuidv7(), 'WAITING', 1, $2)`,
      [webhookId, dueAt],
    );
  const nextAttempts = async () => {
    const found = [
      await readEndpointStats(t.db, webhookId),
      ...(await listWebhookHealth(t.db, accountId, 1)),
    ];
    return found.map(({ nextAttemptAt }) => nextAttemptAt?.toISOString());
  };
  await t.db.query(
    `INSERT INTO endpoint (webhook_id, open_level, open_until) VALUES ($1, 1, '2126-11-26T09:30:00Z')`,
    [webhookId],
  );

  expect(await nextAttempts()).toEqual([undefined, undefined]);
  await push('2126-11-26T10:00:00Z');
  expect(await nextAttempts()).toEqual(Array(2).fill('2126-11-26T10:00:00.000Z'));
  await push('2026-11-26T10:00:00Z');
  expect(await nextAttempts()).toEqual(Array(2).fill('2126-11-26T09:30:00.000Z'));
  await t.db.query('DELETE FROM endpoint');
  expect(await nextAttempts()).toEqual(Array(2).fill('2026-11-26T10:00:00.000Z'));
  await t.db.query('UPDATE webhook SET disabled_at = now()');
  expect(await nextAttempts()).toEqual([undefined, undefined]);
});
