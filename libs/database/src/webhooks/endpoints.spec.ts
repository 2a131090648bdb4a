import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { countPages } from '@signalbox/test/count-pages';
import { addWebhooks, openRows } from '@signalbox/test/rows';
import { type Tally, addEndpoints, countEndpoints, recordHealth, resetEndpoint } from './endpoints.ts';
import { listDueEndpoints } from './due-endpoints.ts';
import { claimProbes } from './probes.ts';

test('a breaker opens when 70 % of at least 10 calls failed, whoever saw them', async () => {
  await using t = await setup();

  expect(await t.flush({ calls: 9, failures: 9, failuresInRow: 9 })).toMatchObject({
    openLevel: 0,
    failures: 9,
  });
  expect(await t.flush({ calls: 6, failures: 1, failuresInRow: 1, succeeded: true })).toMatchObject({
    openLevel: 0,
    failures: 1,
  });
  expect(await t.flush({ calls: 2, failures: 2, failuresInRow: 2 })).toMatchObject({
    openLevel: 1,
    openLevelBefore: 0,
    failures: 3,
  });
  expect(await t.opensForSeconds()).toBe(30);
});

test('what was counted five minutes ago does not count', async () => {
  await using t = await setup();
  await t.flush({ calls: 9, failures: 9, failuresInRow: 9 });
  await t.db.query(`UPDATE endpoint SET window_from = now() - interval '301 seconds'`);

  expect(await t.flush({ calls: 9, failures: 9, failuresInRow: 9 })).toMatchObject({
    openLevel: 0,
    failures: 18,
  });
});

test('failed probes double the time of an open breaker up to ten minutes, until one succeeds', async () => {
  await using t = await setup();
  await t.flush({ calls: 10, failures: 10, failuresInRow: 10 });
  expect(await claimProbes(t.db, [t.webhookId], 20)).toEqual([]);

  for (const seconds of [60, 120, 240, 480, 600, 600]) {
    await t.db.query('UPDATE endpoint SET open_until = now()');
    const probes = await Promise.all([1, 2, 3].map(() => claimProbes(t.db, [t.webhookId], 20)));
    expect(probes.flat()).toEqual([t.webhookId]);
    await t.flush({ calls: 1, failures: 1, failuresInRow: 1, probe: 'failed' });
    expect(await t.opensForSeconds()).toBe(seconds);
  }

  expect(await t.flush({ calls: 1, succeeded: true, probe: 'ok' })).toMatchObject({
    openLevel: 0,
    failures: 0,
  });
  expect(await t.opensForSeconds()).toBeNull();
});

test('failed probes beyond the limit of the count keep a breaker open', async () => {
  await using t = await setup();
  await t.db.query(`UPDATE endpoint SET open_level = 32767, open_until = now()`);

  expect(await t.flush({ calls: 1, failures: 1, failuresInRow: 1, probe: 'failed' })).toMatchObject({
    openLevel: 100,
  });
  expect(await t.opensForSeconds()).toBe(600);
});

test('calls that began before the breaker opened neither close it nor lengthen its time', async () => {
  await using t = await setup();
  await t.flush({ calls: 10, failures: 10, failuresInRow: 10 });

  expect(await t.flush({ calls: 4, failures: 3, failuresInRow: 2, succeeded: true })).toMatchObject({
    openLevel: 1,
    failures: 2,
  });
  expect(await t.opensForSeconds()).toBe(30);
});

test('100 failures in a row over a day, or five days of failures only, disable a webhook', async () => {
  await using t = await setup();
  const disabled = async (failures: number, hours: number) => {
    await t.db.query('DELETE FROM endpoint');
    await addEndpoints(t.db, [t.webhookId]);
    const { disabledReason } = await t.flush({
      calls: failures,
      failures,
      failuresInRow: failures,
      failingForMs: hours * 3_600_000,
    });
    await t.db.query('UPDATE webhook SET disabled_at = NULL');
    return disabledReason;
  };

  expect(await disabled(99, 119)).toBeNull();
  expect(await disabled(1_000, 23.9)).toBeNull();
  expect(await disabled(100, 24)).toBe('100 calls in a row have failed');
  expect(await disabled(3, 120)).toBe('every call has failed for 5 days');
  await t.flush({ calls: 100, failures: 99, succeeded: true });
  expect(await t.flush({ calls: 50, failures: 50, failuresInRow: 50, failingForMs: 1_000 })).toMatchObject({
    failures: 50,
    disabledReason: null,
  });
});

test('counts that workers flush at the same time add up', async () => {
  await using t = await setup();

  await Promise.all(Array.from({ length: 20 }, () => t.flush({ calls: 1, failures: 1, failuresInRow: 1 })));

  expect(await t.flush({ calls: 1, failures: 1, failuresInRow: 1 })).toMatchObject({
    failures: 21,
    openLevel: 1,
  });
});

test('only enabled endpoints with a due push and a breaker that admits a call are listed', async () => {
  await using t = await setup();
  const accountId = randomUUIDv7();
  const [due, early, disabled, open, ready] = (await addWebhooks(t.db, accountId, 5)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const push = (webhookId: string, inSeconds: number) =>
    t.db.query(
      `INSERT INTO push (webhook_id, report_id, account_id, status, attempts, next_attempt_at)
       SELECT $1, uuidv7(), uuidv7(), 'WAITING', 0, now() + make_interval(secs => $2 + n) FROM generate_series(0, 2) AS n`,
      [webhookId, inSeconds],
    );
  for (const webhookId of [due, disabled, open, ready, randomUUIDv7()]) await push(webhookId, -1);
  await push(early, 1);
  await t.db.query('UPDATE webhook SET disabled_at = now() WHERE id = $1', [disabled]);
  await addEndpoints(t.db, [open, ready]);
  await t.db.query(
    `UPDATE endpoint SET open_level = 1, open_until = now() + CASE WHEN webhook_id = $1 THEN interval '9 s' ELSE interval '0' END`,
    [open],
  );

  const settings = { method: 'POST', headers: [], maxInFlight: 4, ratePerSecond: null, batch: null };
  const [first, last] = [
    { webhookId: due, accountId, ...settings, needsProbe: false },
    { webhookId: ready, accountId, ...settings, needsProbe: true },
  ];
  expect(await listDueEndpoints(t.db)).toEqual({ due: [first, last], next: null });
  expect(await listDueEndpoints(t.db, null, 3)).toEqual({ due: [first], next: disabled });
  expect(await listDueEndpoints(t.db, disabled, 3)).toMatchObject({ due: [last], next: expect.any(String) });
});

test('a list of due endpoints examines a bounded number of those that wait', async () => {
  await using t = await openRows();
  await addWebhooks(t.db, randomUUIDv7(), 2_000);
  await t.db.query(
    `INSERT INTO push (webhook_id, report_id, account_id, status, attempts, next_attempt_at)
     SELECT id, uuidv7(), account_id, 'WAITING', 1, now() + interval '1 hour' FROM webhook`,
  );
  await t.db.query('VACUUM ANALYZE push, webhook');
  const pagesOf = (examined: number) => countPages(t.db, (db) => listDueEndpoints(db, null, examined));

  expect(await pagesOf(100)).toBeLessThan((await pagesOf(10_000)) / 10);
});

test('the health of an endpoint waits for no change of its webhook', async () => {
  await using t = await setup();
  const failure = { calls: 1, failures: 1, failuresInRow: 1 };
  await t.flush(failure);
  await t.db.query(`UPDATE endpoint SET failing_since = now() - interval '6 days'`);

  const during = await t.db.transaction(async (db) => {
    await db.query('SELECT FROM webhook WHERE id = $1 FOR UPDATE', [t.webhookId]);
    const health = await t.flush(failure);
    await resetEndpoint(db, t.webhookId);
    return health;
  });
  const after = await t.flush(failure);
  await t.db.query(`UPDATE endpoint SET failing_since = now() - interval '6 days'`);

  expect([during.disabledReason, during.failures, after.failures]).toEqual([null, 2, 1]);
  expect(await t.flush(failure)).toMatchObject({ disabledReason: 'every call has failed for 5 days' });
});

test('endpoints are counted by state, without a look-up for each', async () => {
  await using t = await openRows();
  const [failing, open, disabled, deleted] = await addWebhooks(t.db, randomUUIDv7(), 2_000);
  await t.db.query(
    `INSERT INTO endpoint (webhook_id, failures, failing_since, open_level, open_until)
     SELECT id, CASE WHEN troubled THEN 3 ELSE 0 END, CASE WHEN troubled THEN now() END,
            CASE WHEN id = ANY($2::uuid[]) THEN 1 ELSE 0 END, CASE WHEN id = ANY($2::uuid[]) THEN now() END
       FROM webhook, LATERAL (SELECT id = ANY($1::uuid[]) AS troubled) AS state`,
    [
      [failing, open, disabled, deleted],
      [open, disabled, deleted],
    ],
  );
  await t.db.query(
    `UPDATE webhook SET disabled_at = now(), deleted_at = CASE WHEN id = $2 THEN now() END WHERE id IN ($1, $2)`,
    [disabled, deleted],
  );
  await t.db.query('VACUUM ANALYZE webhook, endpoint');

  expect(await countEndpoints(t.db)).toEqual({
    enabled: 1_998,
    disabled: 1,
    failing: 2,
    open: 1,
  });
  expect(await countPages(t.db, countEndpoints)).toBeLessThan(1_000);
});

async function setup() {
  const rows = await openRows();
  const [webhookId] = (await addWebhooks(rows.db, randomUUIDv7(), 1)) as [string];
  await addEndpoints(rows.db, [webhookId]);
  return {
    ...rows,
    webhookId,
    flush: async (given: Partial<Tally>) => {
      const nothing = {
        webhookId,
        calls: 0,
        failures: 0,
        succeeded: false,
        failuresInRow: 0,
        failingForMs: 0,
        probe: null,
      };
      const [health] = await recordHealth(rows.db, [{ ...nothing, ...given }]);
      return health!;
    },
    opensForSeconds: async () => {
      const [row] = await rows.db.query(
        'SELECT round(extract(epoch FROM open_until - now()))::integer AS seconds FROM endpoint',
      );
      return (row as { seconds: number | null }).seconds;
    },
  };
}
