import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';

/** Days that have a partition in advance. */
const DAYS_AHEAD = 3;

const DEFAULT_LIMIT = 10_000;

/**
 * Limits the wait for a lock that statements of the service queue behind, for example during a backup. A pass that does
 * not get it is repeated.
 */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '100ms'`;

/** A day with rows in the default partition stays there. */
const MAKE = `
  DO $make$
  <<make>>
  DECLARE
    day date;
  BEGIN
    FOR day IN
      SELECT (now() AT TIME ZONE 'UTC')::date + ahead FROM generate_series(0, ${DAYS_AHEAD}) AS ahead
    LOOP
      CONTINUE WHEN to_regclass('gateway_message_id_' || to_char(day, 'YYYYMMDD')) IS NOT NULL
                 OR EXISTS (SELECT FROM gateway_message_id_default x WHERE x.day = make.day);
      EXECUTE format(
        'CREATE TABLE %I PARTITION OF gateway_message_id FOR VALUES FROM (%L) TO (%L)',
        'gateway_message_id_' || to_char(day, 'YYYYMMDD'), day, day + 1
      );
    END LOOP;
  END $make$`;

/** Makes the partitions of the map of gateways' ids for today and the next days. Runs in a transaction. */
export async function makeIdDays(db: EntityManager): Promise<void> {
  await db.query(LOCK_TIMEOUT);
  await db.query(MAKE);
}

const DROP = `
  DO $drop$
  DECLARE
    old regclass;
  BEGIN
    FOR old IN
      SELECT c.oid
        FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'gateway_message_id'::regclass
         AND c.relname ~ '_[0-9]{8}$'
         AND to_date(right(c.relname, 8), 'YYYYMMDD')
             < (now() AT TIME ZONE 'UTC')::date - current_setting('signalbox.id_days')::integer
       ORDER BY c.relname
    LOOP
      EXECUTE format('DROP TABLE %s', old);
    END LOOP;
  END $drop$`;

/**
 * Drops the partitions of days that ended more than `days` ago. Runs in a transaction.
 *
 * @returns the number of rows deleted from the default partition, a bounded number per call
 */
export async function dropIdDays(db: EntityManager, days: number): Promise<number> {
  await db.query(LOCK_TIMEOUT);
  await db.query(`SELECT set_config('signalbox.id_days', $1::text, true)`, [String(days)]);
  await db.query(DROP);
  return countChanged(
    db,
    `DELETE FROM gateway_message_id_default
      WHERE ctid = ANY(ARRAY(
        SELECT ctid
          FROM gateway_message_id_default
         WHERE day < (now() AT TIME ZONE 'UTC')::date - $1::integer
         LIMIT ${DEFAULT_LIMIT}
      ))`,
    [days],
  );
}
