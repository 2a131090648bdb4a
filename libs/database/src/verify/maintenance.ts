import { SUFFIX_DIGITS } from '@signalbox/domain/verify/numbers';
import type { EntityManager } from 'typeorm';
import { countChanged } from '../core/returning.ts';
import { sql } from '../core/sql.ts';
import { sweepOf } from '../core/sweep.ts';
import { firstIdAtSql } from '../ops/first-id-at.ts';
import { cancelSends } from '../submissions/cancellations.ts';
import { IS_CANCELLABLE } from '../submissions/progress.ts';
import { addToStats } from './stats.ts';

/** Maximum number of rows of one call. */
const BATCH = 5_000;

/**
 * Ends open verifications that have expired by the database's clock, and wipes the MACs of their codes. Returns their
 * number.
 */
export function expireVerifications(db: EntityManager): Promise<number> {
  return countChanged(
    db,
    `UPDATE verification
        SET status = 'EXPIRED', code_mac = NULL
      WHERE id IN (
        SELECT id
          FROM verification
         WHERE status IN ('WAITING', 'SENT')
           AND expires_at <= now()
         ORDER BY expires_at
         LIMIT ${BATCH}
           FOR UPDATE SKIP LOCKED
      )`,
  );
}

const LOCK_ENDED = sql`
  SELECT id
    FROM verification
   WHERE NOT counted
     AND status IN ('VERIFIED', 'EXPIRED', 'REPLACED')
   ORDER BY id
   LIMIT ${BATCH}
     FOR UPDATE SKIP LOCKED`;

/** The submissions that carry codes that were used or replaced, and wait for a gateway. Expired ones end by themselves. */
const LIST_UNSENT = sql`
  SELECT s.id
    FROM verification v
   CROSS JOIN LATERAL (
     SELECT v.submission_id AS id
      UNION
     SELECT submission_id
       FROM verification_step
      WHERE verification_id = v.id
   ) AS carrying
    JOIN submission s ON s.id = carrying.id
   WHERE v.id = ANY($1::uuid[])
     AND v.status IN ('VERIFIED', 'REPLACED')
     AND ${IS_CANCELLABLE}`;

/**
 * The longest time until a code was correct that statistics have; longer ones count as this. From 100 s on times are
 * rounded up to two digits: statistics read all that a day of a configuration and country has, so at most 280.
 */
const MAX_SECONDS = 9_900;

const COUNT_ENDED = sql`
  WITH taken AS MATERIALIZED (
    UPDATE verification
       SET counted = true
     WHERE id = ANY($1::uuid[])
    RETURNING account_id, config_id, country, left(recipient, -${SUFFIX_DIGITS}) AS prefix, key_id::text AS key, created_at,
              status = 'VERIFIED' AS ok,
              GREATEST(0, LEAST(ceil(extract(epoch FROM verified_at - created_at)), ${MAX_SECONDS})) AS took,
              NOT is_test AND sent_at IS NOT NULL AS counts
  ), ended AS (
    SELECT taken.*, (created_at AT TIME ZONE 'UTC')::date AS day, date_trunc('hour', created_at, 'UTC') AS hour,
           (ceil(took / step) * step)::smallint AS seconds
      FROM taken
     CROSS JOIN LATERAL (SELECT CASE WHEN took < 100 THEN 1 WHEN took < 1000 THEN 10 ELSE 100 END AS step) AS precision
     WHERE counts
  ), stat AS (
    ${addToStats('verified', 'ended', 'ok')}
  ), latency AS (
    INSERT INTO verification_latency AS vl (account_id, day, config_id, country, seconds, verified)
    SELECT account_id, day, config_id, country, seconds, count(*)
      FROM ended
     WHERE ok
     GROUP BY account_id, day, config_id, country, seconds
     ORDER BY account_id, day, config_id, country, seconds
    ON CONFLICT ON CONSTRAINT verification_latency_pkey DO UPDATE
       SET verified = vl.verified + EXCLUDED.verified
  ), conversion AS (
    INSERT INTO verification_conversion AS vv (account_id, dimension, value, hour, ended, verified)
    SELECT account_id, d.dimension, d.value, hour, count(*), count(*) FILTER (WHERE ok)
      FROM ended, LATERAL (VALUES ('prefix', prefix), ('country', country), ('key', key)) AS d(dimension, value)
     GROUP BY account_id, d.dimension, d.value, hour
     ORDER BY account_id, d.dimension, d.value, hour
    ON CONFLICT ON CONSTRAINT verification_conversion_pkey DO UPDATE
       SET ended = vv.ended + EXCLUDED.ended, verified = vv.verified + EXCLUDED.verified
  )
  SELECT count(*)::integer AS taken FROM taken`;

/**
 * Closes verifications that have ended, each once. Cancels the messages with their codes that no gateway has yet, such as
 * a fallback that waits for its gateway. Counts them in the statistics of the day of their request and in the traffic of
 * the fraud guard. Test numbers, and verifications that never got a code, are marked and not counted.
 *
 * @returns the number of verifications closed
 */
export function closeEnded(db: EntityManager): Promise<number> {
  return db.transaction(async (transaction) => {
    const ended = idsOf(await transaction.query(LOCK_ENDED));
    const unsent = idsOf(await transaction.query(LIST_UNSENT, [ended]));
    // before the counts, whose rows others wait for
    if (unsent.length > 0) await cancelSends(transaction, unsent);
    const [row]: { taken: number }[] = await transaction.query(COUNT_ENDED, [ended]);
    return row?.taken ?? 0;
  });
}

const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id);

/** The hours that a verification is kept after its request: at least a day after its code expired. */
const KEPT_HOURS = 25;

/** The hours that the counts of the fraud guard are kept: its list looks back two days. */
const GUARD_HOURS = 50;

/**
 * Deletes verifications whose code expired a day ago, with their steps, the state of their numbers, and the quotas of
 * their prefixes. The statistics of days stay. Rows that a call has locked are left to a later sweep: calls lock numbers
 * and quotas in the order of their keys.
 *
 * @returns the number of verifications deleted
 */
export async function sweepVerifications(db: EntityManager): Promise<number> {
  const [row]: { deleted: number }[] = await db.query(
    `WITH deleted AS (
       DELETE FROM verification
        WHERE id IN (
          SELECT id
            FROM verification
           WHERE id < ${firstIdAtSql(`now() - interval '${KEPT_HOURS} hours'`)}
             AND counted
           ORDER BY id
           LIMIT ${BATCH}
             FOR UPDATE SKIP LOCKED
        )
       RETURNING id, account_id, recipient
     ), steps AS (
       DELETE FROM verification_step vs
        USING deleted
        WHERE vs.verification_id = deleted.id
     ), number AS (
       DELETE FROM verification_number
        WHERE (account_id, recipient) IN (
          SELECT vn.account_id, vn.recipient
            FROM deleted
            JOIN verification_number vn ON vn.account_id = deleted.account_id AND vn.recipient = deleted.recipient
           WHERE vn.touched_at < now() - interval '${KEPT_HOURS} hours'
             FOR UPDATE OF vn SKIP LOCKED
        )
     ), quota AS (
       DELETE FROM verification_quota
        WHERE (account_id, quota) IN (
          SELECT vq.account_id, vq.quota
            FROM deleted
            JOIN verification_quota vq
              ON vq.account_id = deleted.account_id
             AND vq.quota = 'prefix ' || left(deleted.recipient, -${SUFFIX_DIGITS})
           WHERE vq.used_at < now() - interval '2 hours'
             FOR UPDATE OF vq SKIP LOCKED
        )
     )
     SELECT count(*)::integer AS deleted FROM deleted`,
  );
  return row?.deleted ?? 0;
}

/** Deletes old hours of the fraud guard, a bounded number per call, and returns that number. */
export const sweepGuardCounts = sweepOf({
  table: 'verification_conversion',
  key: 'account_id, dimension, value, hour',
  where: `WHERE hour < now() - interval '${GUARD_HOURS} hours'`,
  orderBy: 'hour',
});

/** Pages of a table that one call reads. */
const WALK_PAGES = 500;

/** One stretch of a walk over a table. */
export interface WalkedPages {
  /** Rows that were deleted. */
  deleted: number;
  /** The page to continue from; null at the end of the table. */
  next: number | null;
}

/** Deletes unused rows of some pages. No index finds them: it would cost each request a write. */
const sweepPages = (table: string, usedAt: string): string => sql`
  WITH deleted AS (
    DELETE FROM ${table}
     WHERE ctid = ANY(ARRAY(
       SELECT ctid
         FROM ${table}
        WHERE ctid >= $1::tid
          AND ctid < $2::tid
          AND ${usedAt} < now() - interval '${KEPT_HOURS} hours'
          FOR UPDATE SKIP LOCKED
     ))
    RETURNING 1
  )
  SELECT count(*)::integer AS deleted,
         (pg_relation_size('${table}') / current_setting('block_size')::integer)::float8 AS pages
    FROM deleted`;

const SWEEP_NUMBERS = sweepPages('verification_number', 'touched_at');
const SWEEP_QUOTAS = sweepPages('verification_quota', 'used_at');

/** Deletes the state of numbers without a request for a code in a day, which refused requests leave behind. */
export function sweepNumbers(db: EntityManager, from: number): Promise<WalkedPages> {
  return walk(db, SWEEP_NUMBERS, from);
}

/** Deletes quotas that were not used in a day, which refused requests leave behind. */
export function sweepQuotas(db: EntityManager, from: number): Promise<WalkedPages> {
  return walk(db, SWEEP_QUOTAS, from);
}

async function walk(db: EntityManager, statement: string, from: number): Promise<WalkedPages> {
  const to = from + WALK_PAGES;
  const [row]: [{ deleted: number; pages: number }] = await db.query(statement, [`(${from},0)`, `(${to},0)`]);
  return { deleted: row.deleted, next: to < row.pages ? to : null };
}
