import type { EntityManager } from 'typeorm';
import { rowset } from '../core/rowset.ts';
import { sql } from '../core/sql.ts';
import { sweepOf } from '../core/sweep.ts';
import { firstIdAtSql } from '../ops/first-id-at.ts';
import {
  ALIKE_IN_REPORTS,
  GIVEN_COLUMNS,
  type NewReport,
  REPORT_COLUMNS,
  isCodeColumn,
  storeReports,
} from './reports.ts';

const KEPT = "interval '7 days'";

/** A callback of a gateway, as it arrived. */
export interface StoredCallback {
  id: string;
  gateway: string;
  body: Buffer;
}

/** A callback to be stored. */
export interface NewCallback extends StoredCallback {
  /** All that it contains, when that is nothing but reports; absent for one that is read later. */
  reports?: NewReport[] | undefined;
}

const CALLBACKS = rowset('arrived', {
  id: 'uuid',
  gateway: 'text',
  body: 'bytea',
  is_read: ['boolean', ({ reports }: NewCallback) => reports !== undefined],
});

const REPORTS = rowset(
  'report',
  { ...REPORT_COLUMNS, callback_id: ['uuid', ({ callbackId }: { callbackId: string }) => callbackId] },
  5,
  [...ALIKE_IN_REPORTS, 'reported_at', 'callback_id'],
);

/** The callbacks with a report about a message of another gateway, which are read later. */
const ABOUT_FOREIGN = 'ARRAY(SELECT callback_id FROM report WHERE is_foreign)';

/** The lane of message `m`, which a message of an earlier version does not have. */
const LANE = 'COALESCE(m.lane, (SELECT s.lane FROM submission s WHERE s.id = report.submission_id))';

const GIVEN = sql`
  (
    SELECT ${GIVEN_COLUMNS}
      FROM report
     WHERE callback_id <> ALL (${ABOUT_FOREIGN})
  )`;

const INSERT = sql`
  WITH report AS MATERIALIZED (
    SELECT report.*, m.status <> 'PENDING' AND m.gateway <> report.gateway AS is_foreign,
           ${isCodeColumn(LANE)}
      FROM ${REPORTS.from}
      LEFT JOIN message m ON m.submission_id = report.submission_id AND m.n = report.n
  ), callback AS (
    INSERT INTO callback (id, gateway, body, processed_at)
    SELECT id, gateway, body,
           CASE WHEN is_read AND id <> ALL (${ABOUT_FOREIGN}) THEN now() END
      FROM ${CALLBACKS.from}
  ), ${storeReports(GIVEN)}
  SELECT id AS "codeReport", NULL AS unread
    FROM stored
   WHERE is_code
   UNION ALL
  SELECT NULL, callback_id
    FROM report
   WHERE is_foreign`;

/** Result of storing callbacks. */
export interface StoredCallbacks {
  /** The ids of reports about codes. */
  codeReports: Set<string>;
  /** The ids of callbacks with reports about messages of another gateway: none of their reports is stored. */
  unread: Set<string>;
}

/**
 * Stores callbacks, and the reports of those that are read already. Nothing else is checked here, so none is ever
 * dropped.
 */
export async function insertCallbacks(
  db: EntityManager,
  callbacks: readonly NewCallback[],
): Promise<StoredCallbacks> {
  const reports = callbacks.flatMap(({ id: callbackId, reports: given = [] }) =>
    given.map((report) => ({ ...report, callbackId })),
  );
  const values = [...CALLBACKS.values(callbacks), ...REPORTS.values(reports)];
  const rows: { codeReport: string | null; unread: string | null }[] = await db.query(INSERT, values);
  return {
    codeReports: new Set(rows.flatMap(({ codeReport }) => codeReport ?? [])),
    unread: new Set(rows.flatMap(({ unread }) => unread ?? [])),
  };
}

/**
 * Locks the unprocessed callbacks among `ids` until the end of the transaction and returns them in the order of `ids`.
 * Skips locked ones. A job that runs twice finds the rest.
 */
export function lockCallbacks(db: EntityManager, ids: string[]): Promise<StoredCallback[]> {
  return db.query(
    `SELECT c.id, c.gateway, c.body
       FROM unnest($1::uuid[]) WITH ORDINALITY AS named(id, place)
       JOIN callback c ON c.id = named.id
      WHERE c.processed_at IS NULL
      ORDER BY named.place
        FOR UPDATE OF c SKIP LOCKED`,
    [ids],
  );
}

/** A processed callback, and the part of it that could not be used; null when all of it was. */
export interface ProcessedCallback {
  id: string;
  problem: string | null;
}

const PROCESSED = rowset('given', { id: 'uuid', problem: 'text' });

const MARK = sql`
  UPDATE callback c
     SET processed_at = now(), problem = given.problem
    FROM ${PROCESSED.from}
   WHERE c.id = given.id`;

/** Marks callbacks as processed. */
export async function markCallbacksProcessed(
  db: EntityManager,
  processed: ProcessedCallback[],
): Promise<void> {
  await db.query(MARK, PROCESSED.values(processed));
}

/** Deletes processed callbacks that are older than a week, a bounded number per call; returns their number. */
export const sweepCallbacks = sweepOf({
  table: 'callback',
  key: 'id',
  where: sql`
    WHERE id < ${firstIdAtSql(`now() - ${KEPT}`)}
      AND processed_at IS NOT NULL`,
  orderBy: 'id',
});
