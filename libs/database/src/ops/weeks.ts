import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';

/*
 * Tables that are partitioned by week. A row belongs to the week of its UUIDv7, which begins on Monday, 00:00 UTC. A
 * partition `<table>_<YYYYMMDD>` begins on that day. `<table>_until_<YYYYMMDD>` holds the rows from before the table was
 * partitioned, and ends on that day. `<table>_default` holds the rows of weeks without a partition.
 */

/** The tables, with the column that gives the week. */
const WEEKLY = { push: 'report_id', routing_event: 'id' } as const;
type WeeklyTable = keyof typeof WEEKLY;
const TABLES = Object.keys(WEEKLY) as WeeklyTable[];

/** Number of weeks after the current one whose partitions are made in advance. */
const WEEKS_AHEAD = 5;

/** Maximum number of rows of a week that are moved out of the default partition, which is locked meanwhile. */
const MOST_MOVED = 50_000;

/** Rows of a default partition are counted up to this number. */
const MOST_COUNTED = 10_000;

/** Limits the wait for a lock that statements of the service queue behind. A pass that does not get it is repeated. */
const SHORT_LOCK = `SET LOCAL lock_timeout = '100ms'`;

/** Limits the wait for the lock of `makeWeeks`, which no statement of the service queues behind. */
const LONG_LOCK = `SET LOCAL lock_timeout = '5s'`;

/** The lowest UUIDv7 of a Monday, in SQL. */
const firstIdOf = (monday: string): string => sql`
  rpad(
    lpad(to_hex(extract(epoch FROM ${monday}::timestamp)::bigint * 1000), 12, '0'), 32, '0'
  )::uuid`;

/** The names and days of the partitions of `parent` that end in a day. */
const partitionsOf = (parent: string): string => sql`
  SELECT c.relname AS name,
         c.relname ~ '_until_[0-9]{8}$' AS is_oldest,
         CASE WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD') END AS day
    FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
   WHERE i.inhparent = ${parent}`;

/** The Mondays that need a partition: those in advance, and those of rows in the default partition. */
const mondaysOf = (table: WeeklyTable): string => sql`
  SELECT date_trunc('week', now() AT TIME ZONE 'UTC')::date + 7 * ahead
    FROM generate_series(0, ${WEEKS_AHEAD}) AS ahead
   UNION
  SELECT date_trunc('week', uuid_extract_timestamp(${WEEKLY[table]}) AT TIME ZONE 'UTC')::date
    FROM (SELECT ${WEEKLY[table]} FROM ${table}_default LIMIT ${2 * MOST_MOVED}) AS unplaced
   WHERE uuid_extract_timestamp(${WEEKLY[table]}) IS NOT NULL
   ORDER BY 1`;

const isInWeek = (table: WeeklyTable, first: string, end: string): string =>
  `${WEEKLY[table]} >= ${first} AND ${WEEKLY[table]} < ${end}`;

/**
 * Makes a partition as a separate table with the rows of its week, and attaches it: only the default partition is
 * locked.
 */
const attach = (table: WeeklyTable): string => sql`
  SELECT ' WITH (' || array_to_string(reloptions, ', ') || ')'
    INTO options
    FROM pg_class
   WHERE oid = '${table}_default'::regclass;
  EXECUTE format('CREATE TABLE %I (LIKE ${table} INCLUDING ALL)', week) || COALESCE(options, '');
  ${SHORT_LOCK};
  LOCK TABLE ${table}_default IN ACCESS EXCLUSIVE MODE;
  EXECUTE format(
    'WITH moved AS (
       DELETE FROM ${table}_default WHERE ${isInWeek(table, '$1', '$2')} RETURNING *
     )
     INSERT INTO %I SELECT * FROM moved', week
  ) USING first_id, end_id;
  EXECUTE format(
    'ALTER TABLE ${table} ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', week, first_id, end_id
  );`;

/** The first lock lets one process at a time make partitions; reads and writes do not wait for it. */
const makeWeeksOf = (table: WeeklyTable): string => sql`
  DO $make$
  <<make>>
  DECLARE
    monday date;
    week text;
    first_id uuid;
    end_id uuid;
    options text;
  BEGIN
    ${LONG_LOCK};
    LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE;
    FOR monday IN
      ${mondaysOf(table)}
    LOOP
      week := '${table}_' || to_char(monday, 'YYYYMMDD');
      first_id := ${firstIdOf('monday')};
      end_id := ${firstIdOf('(monday + 7)')};
      CONTINUE WHEN to_regclass(week) IS NOT NULL OR EXISTS (
        SELECT
          FROM (
            ${partitionsOf(`'${table}'::regclass`)}
          ) AS partition
         WHERE is_oldest
           AND day > monday
      ) OR ${MOST_MOVED} < (
        SELECT count(*)
          FROM (
            SELECT
              FROM ${table}_default
             WHERE ${isInWeek(table, 'first_id', 'end_id')}
             LIMIT ${MOST_MOVED + 1}
          ) AS unplaced
      );
      ${attach(table)}
    END LOOP;
  END $make$`;

/**
 * Makes the partitions of the current week and the next five, and those of rows in a default partition, which are moved
 * into them, except for a week with more than 50,000 of them. Harmless to repeat and to run concurrently. Runs in a
 * transaction.
 *
 * @throws QueryFailedError 55P03 when a default partition is not free within 100 ms
 */
export async function makeWeeks(db: EntityManager): Promise<void> {
  for (const table of TABLES) await db.query(makeWeeksOf(table));
}

/** A partition as the catalog names it. */
interface Partition {
  parent: WeeklyTable;
  name: string;
}

/** The reports that the rows of a week belong to are deleted first, so that no push is made a second time. */
const LIST_OUTDATED = sql`
  SELECT parent, name
    FROM unnest($2::text[]) AS parent
   CROSS JOIN LATERAL (
     ${partitionsOf('parent::regclass')}
   ) AS partition
   CROSS JOIN LATERAL (SELECT CASE WHEN is_oldest THEN day ELSE day + 7 END) AS ended(at)
   WHERE ended.at <= (now() - make_interval(days => $1)) AT TIME ZONE 'UTC'
     AND NOT EXISTS (
       SELECT
         FROM message_event
        WHERE id < ${firstIdOf('ended.at')}
     )
   ORDER BY ended.at, name
   LIMIT 1`;

/**
 * Drops the oldest partition, if its last day ended more than `days` ago and the reports of its time are deleted. Runs
 * in a transaction.
 *
 * @returns the number of partitions dropped: 1, or 0 when there is none to drop
 * @throws QueryFailedError 55P03 when the table is not free within 100 ms
 */
export async function dropWeek(db: EntityManager, days: number): Promise<number> {
  const [outdated]: Partition[] = await db.query(LIST_OUTDATED, [days, TABLES]);
  if (!outdated) return 0;
  await db.query(SHORT_LOCK);
  await db.query(`DROP TABLE ${outdated.name}`);
  return 1;
}

/** Lists the partitions whose rows are of many weeks, so that the old ones among them are deleted row by row. */
export function listMixedPartitions(db: EntityManager): Promise<Partition[]> {
  return db.query(
    `SELECT i.inhparent::regclass::text AS parent, c.relname AS name
       FROM pg_inherits i
       JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = ANY($1::regclass[])
        AND c.relname ~ '_(default|until_[0-9]{8})$'
      ORDER BY c.relname`,
    [TABLES],
  );
}

/** The state of the partitions of a table. */
export interface WeekState {
  table: string;
  /** Days until the first week without a partition, 42 at most; 0 or less when this week has none. */
  daysAhead: number;
  /** Rows in the default partition, 10,000 at most. */
  unplaced: number;
}

const stateOf = (table: WeeklyTable): string => sql`
  SELECT '${table}' AS "table",
         (SELECT min(monday) - (now() AT TIME ZONE 'UTC')::date
            FROM generate_series(0, ${WEEKS_AHEAD + 1}) AS ahead
           CROSS JOIN LATERAL (
             SELECT date_trunc('week', now() AT TIME ZONE 'UTC')::date + 7 * ahead AS monday
           ) AS week
           WHERE ahead > ${WEEKS_AHEAD}
              OR NOT EXISTS (
                SELECT
                  FROM (
                    ${partitionsOf(`'${table}'::regclass`)}
                  ) AS partition
                 WHERE CASE WHEN is_oldest THEN day > monday ELSE day = monday END
              )) AS "daysAhead",
         (SELECT count(*)::integer FROM (SELECT FROM ${table}_default LIMIT ${MOST_COUNTED}) AS rows) AS unplaced`;

/** Lists the partitioned tables with the state of their partitions. */
export function listWeekStates(db: EntityManager): Promise<WeekState[]> {
  return db.query(TABLES.map(stateOf).join('\n UNION ALL\n'));
}
