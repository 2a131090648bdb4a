import { expect, test } from '@jest/globals';
import { openRows } from '@signalbox/test/rows';
import type { EntityManager } from 'typeorm';
import { ClockCheck } from './clock-check.ts';

const HOUR_MS = 3_600_000;

test('an api whose clock is an hour from that of Postgres logs it', async () => {
  await using rows = await openRows();
  const logged: { skewMs: number }[] = [];
  const logger = { error: (fields: { skewMs: number }) => void logged.push(fields) };

  for (const hours of [0, 1, -1])
    await rows.db.transaction(async (db) => {
      await shiftClock(db, hours);
      await new ClockCheck(db, logger as never).check();
    });

  expect(logged.map(({ skewMs }) => Math.round(skewMs / HOUR_MS))).toEqual([1, -1]);
});

/** Lets Postgres tell another time until the end of a transaction. */
async function shiftClock(db: EntityManager, hours: number): Promise<void> {
  await db.query(
    `CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql
     RETURN pg_catalog.clock_timestamp() + interval '${hours} hours'`,
  );
  await db.query('SET LOCAL search_path = public, pg_catalog');
}
