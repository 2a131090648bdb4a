import type { SmsLane } from '@signalbox/domain/lane';
import type { EntityManager } from 'typeorm';
import { sql } from '../core/sql.ts';
import { READY } from './ready-tables.ts';

/*
 * A statement that stores SMS submissions lists those that are ready as one row of `ready_batch` for each lane. While
 * nothing limits a lane, its jobs fan out nearly all of them within a second. The others are then listed one by one in
 * `ready_sms`, where rounds find them by account.
 */

/** Time after which the submissions of a batch are listed one by one, unless a round of their lane did so before. */
const LISTED_AFTER = `interval '1 second'`;

/** Maximum number of batches of a lane that one call reads. It stops early once they hold about SUBMISSIONS ids. */
const BATCHES = 1_000;
const SUBMISSIONS = 5_000;

/** Maximum number of submissions of an account that a search examines for those that are in batches. */
const EXAMINED = 10_000;

/**
 * A statement that lists the ready submissions of `stored` (id, lane, messages) that meet a condition, as one batch of
 * each lane. The `messages` of a batch are null when each of its submissions has one.
 */
export const insertReadyBatch = (stored: string, condition = 'true'): string => sql`
  INSERT INTO ready_batch (id, lane, due_at, ids, messages)
  SELECT ids[1], lane, now() + ${LISTED_AFTER}, ids, messages
    FROM (
      SELECT lane, array_agg(id ORDER BY id) AS ids,
             CASE WHEN max(messages) > 1 THEN array_agg(messages ORDER BY id) END AS messages
        FROM ${stored}
       WHERE ${condition}
       GROUP BY lane
    ) AS batched`;

/**
 * Selects the newest submissions of an account, $1, with ids from $2 to $3 that are ready and may have no row in
 * `ready_sms` so far, at most EXAMINED.
 */
export const UNLISTED_OF_ACCOUNT = sql`
  SELECT id
    FROM (
      SELECT id, fanned_out_at, waits
        FROM submission
       WHERE (account_id, id) >= ($1::uuid, $2::uuid)
         AND (account_id, id) <= ($1::uuid, $3::uuid)
         AND id >= (SELECT id FROM ready_batch ORDER BY id LIMIT 1)
       ORDER BY account_id DESC, id DESC
       LIMIT ${EXAMINED}
    ) AS newest
   WHERE fanned_out_at IS NULL
     AND NOT waits`;

/**
 * Selects the ready submissions of batches that nobody has listed one by one a second after they were due, since no
 * worker runs or there are too many. Examines at most `limit` submissions.
 */
export const overdueUnlisted = (columns: string, limit: number): string => sql`
  SELECT ${columns}
    FROM (
      SELECT unnest(ids) AS id
        FROM ready_batch
       WHERE due_at < now() - ${LISTED_AFTER}
       LIMIT ${limit}
    ) AS overdue
   CROSS JOIN LATERAL (
     SELECT *
       FROM submission s
      WHERE s.id = overdue.id
        AND s.fanned_out_at IS NULL
        AND NOT s.waits
     OFFSET 0
   ) AS s`;

/**
 * $1 lanes, $2 true for all batches, false for those that are due.
 *
 * - Once only: a batch is deleted by the statement that lists its submissions.
 * - Locks: batches that another worker has locked are skipped. Submissions are not locked, so a row may be outdated when
 *   it is written. Rows are written in the order of their key, as `makeDueReady` writes them.
 */
const list = (order: 'ASC' | 'DESC'): string => sql`
  WITH batch AS (
    DELETE FROM ready_batch
     WHERE id IN (
       SELECT due.id
         FROM unnest($1::text[]) AS wanted(lane)
        CROSS JOIN LATERAL (
          SELECT id, sum(submissions) OVER (ORDER BY due_at ${order}, id ${order}) - submissions AS before
            FROM (
              SELECT id, due_at, cardinality(ids) AS submissions
                FROM ready_batch
               WHERE lane = wanted.lane
                 AND due_at <= CASE WHEN $2 THEN 'infinity' ELSE now() END
               ORDER BY due_at ${order}, id ${order}
               LIMIT ${BATCHES}
                 FOR UPDATE SKIP LOCKED
            ) AS free
        ) AS due
        WHERE before < ${SUBMISSIONS}
     )
    RETURNING ids, messages
  ), listed AS (
    INSERT INTO ${READY.sms.table} (${READY.sms.columns})
    SELECT lane, account_id, id, GREATEST(accepted - GREATEST(fanned_upto, 0), 1)
      FROM batch
     CROSS JOIN LATERAL (
       SELECT s.lane, s.account_id, s.id, s.fanned_upto,
              CASE WHEN messages IS NULL THEN 1 ELSE messages[array_position(ids, s.id)] END AS accepted
         FROM submission s
        WHERE s.id = ANY(ids)
          AND s.fanned_out_at IS NULL
          AND NOT s.waits
       OFFSET 0 -- by the key: a plan made while the table was small would read all of it for each batch
     ) AS ready
     ORDER BY lane, account_id, id
    ON CONFLICT DO NOTHING
  )
  SELECT COALESCE(count(*) >= ${BATCHES} OR sum(cardinality(ids)) >= ${SUBMISSIONS}, false) AS "isFull"
    FROM batch`;

const OLDEST = list('ASC');
const NEWEST = list('DESC');

/**
 * Moves new submissions to `ready_sms`, where rounds find them, as far as they are still ready: those of batches that are
 * `due`, or of all, the `oldest` or the `newest` first.
 *
 * @returns true when it reached its limit, so that another call may move more
 */
export async function listReady(
  db: EntityManager,
  lanes: readonly SmsLane[],
  which: 'due' | 'oldest' | 'newest',
): Promise<boolean> {
  const statement = which === 'newest' ? NEWEST : OLDEST;
  const [{ isFull }]: [{ isFull: boolean }] = await db.query(statement, [lanes, which !== 'due']);
  return isFull;
}
