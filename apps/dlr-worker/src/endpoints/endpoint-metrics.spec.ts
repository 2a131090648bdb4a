import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { countWaiting } from '@signalbox/database/webhooks/endpoints';
import { addWebhooks, openRows } from '@signalbox/test/rows';
import { register } from 'prom-client';
import { showEndpoints } from './endpoint-metrics.ts';

test('gauges of endpoints that wait are set once all parts of them are counted', async () => {
  await using rows = await openRows();
  const accountId = randomUUIDv7();
  await addWebhooks(rows.db, accountId, 3);
  await rows.db.query(
    `INSERT INTO push (report_id, webhook_id, account_id, status, attempts, next_attempt_at)
     SELECT uuidv7(), id, $1, 'WAITING', 1, now() - interval '1 minute'
       FROM webhook`,
    [accountId],
  );
  const pass = showEndpoints((db, after) => countWaiting(db, after, 2));

  await pass(rows);
  expect(await read('signalbox_endpoints')).toEqual({ enabled: 3, disabled: 0, failing: 0, open: 0 });
  await pass(rows);
  expect(await read('signalbox_endpoints')).toMatchObject({ enabled: 3, waiting: 3 });
  expect((await read('signalbox_push_overdue_seconds'))['undefined']).toBeGreaterThan(59);

  await rows.db.query(`UPDATE push SET status = 'DELIVERED', next_attempt_at = NULL`);
  await pass(rows);
  expect(await read('signalbox_endpoints')).toMatchObject({ waiting: 0 });
  expect(await read('signalbox_push_overdue_seconds')).toEqual({ undefined: 0 });
});

/** Returns the values of a gauge by state. */
async function read(name: string): Promise<Record<string, number>> {
  const { values } = await register.getSingleMetric(name)!.get();
  return Object.fromEntries(values.map(({ value, labels }) => [labels['state'], value]));
}
