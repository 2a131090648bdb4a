import { COUNTED_ROWS, MAX_STARTS } from '@signalbox/domain/limits';
import { LANES } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { returning } from '../core/returning.ts';
import { sql } from '../core/sql.ts';
import { IS_OWN_REVIEW } from './rescue.ts';

/** A table whose rows count the runs of their jobs. */
export type StartedTable = 'message_event' | 'callback' | 'verification' | 'template';

const IS_OPEN: Record<StartedTable, string> = {
  message_event: 'settled_at IS NULL',
  callback: 'processed_at IS NULL',
  verification: "status = 'WAITING'",
  template: IS_OWN_REVIEW,
};

/** A parked report is due at no time, so that no pass reads it. */
const PARKS: Partial<Record<StartedTable, string>> = {
  message_event: `, due_at = CASE WHEN starts + 1 < ${MAX_STARTS} THEN due_at ELSE 'infinity' END`,
};

const countStartsOf = (table: StartedTable): string => sql`
  UPDATE ${table}
     SET starts = starts + 1${PARKS[table] ?? ''}
   WHERE id IN (
     SELECT id
       FROM ${table}
      WHERE id = ANY($1::uuid[])
        AND ${IS_OPEN[table]}
        AND starts < ${MAX_STARTS}
        FOR UPDATE SKIP LOCKED
   )
  RETURNING id`;

const COUNT_STARTS = {
  message_event: countStartsOf('message_event'),
  callback: countStartsOf('callback'),
  verification: countStartsOf('verification'),
  template: countStartsOf('template'),
};

/**
 * Counts one more start of open rows, for a job that runs again. Commit it before the work, so that the start counts
 * even when the worker dies. Skips locked rows, which another job works on.
 *
 * @returns the rows that are open and were not parked, in the order of `ids`
 */
export async function countStarts(db: EntityManager, table: StartedTable, ids: string[]): Promise<string[]> {
  const rows = await returning<{ id: string }>(db, COUNT_STARTS[table], [ids]);
  const counted = new Set(rows.map((row) => row.id));
  return ids.filter((id) => counted.has(id));
}

const LANE_NAMES = LANES.map((lane) => `'${lane}'`).join(', ');

/** A table that may have parked rows. */
export type ParkedTable = StartedTable | 'message' | 'submission';

/** True for a parked row, by the index that the rescue uses; for a submission by that of submissions that wait. */
export const IS_PARKED: Record<ParkedTable, string> = {
  message: `lane IN (${LANE_NAMES}) AND due_at = 'infinity' AND asks IS NULL`,
  submission: `channel IN ('sms', 'chatapp') AND waits AND due_at = 'infinity'`,
  message_event: `is_code IN (true, false) AND due_at = 'infinity'`,
  template: sql`
    ${IS_OWN_REVIEW}
    AND starts >= ${MAX_STARTS}`,
  callback: `processed_at IS NULL AND starts >= ${MAX_STARTS}`,
  verification: `status = 'WAITING' AND starts >= ${MAX_STARTS}`,
};

/** No index finds the parked rows of these tables: it would cost each row a write. Parked rows are the oldest. */
const oldestOpen = (table: 'callback' | 'verification'): string => sql`
  (
    SELECT *
      FROM ${table}
     WHERE ${IS_OPEN[table]}
     ORDER BY id
     LIMIT ${COUNTED_ROWS}
  ) AS ${table}`;

/** The rows to look for parked ones in, under the name of the table. */
export const MAY_BE_PARKED: Record<ParkedTable, string> = {
  message: 'message',
  submission: 'submission',
  message_event: 'message_event',
  template: 'template',
  callback: oldestOpen('callback'),
  verification: oldestOpen('verification'),
};

const countParkedOf = (table: ParkedTable): string => sql`
  (SELECT count(*)::integer
     FROM (
       SELECT
         FROM ${MAY_BE_PARKED[table]}
        WHERE ${IS_PARKED[table]}
        LIMIT ${COUNTED_ROWS}
     ) AS parked) AS ${table}`;

const COUNT_PARKED = sql`
  SELECT ${countParkedOf('message')},
         ${countParkedOf('submission')},
         ${countParkedOf('message_event')},
         ${countParkedOf('template')},
         ${countParkedOf('callback')},
         ${countParkedOf('verification')}`;

/** The number of parked rows of each table, at most COUNTED_ROWS. */
export type ParkedRows = Record<ParkedTable, number>;

/**
 * Counts the parked rows, by table: rows that failed MAX_STARTS times, and submissions that were set aside. Of callbacks
 * and of verifications it counts those among the 10,000 that have waited longest, so that a backlog costs it no more.
 * docs/operations.md says how to release them.
 */
export async function countParked(db: EntityManager): Promise<ParkedRows> {
  const [row]: [ParkedRows] = await db.query(COUNT_PARKED);
  return row;
}
