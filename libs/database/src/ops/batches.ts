import { MAX_STARTS, RESCUE_AFTER_SECONDS } from '@signalbox/domain/limits';
import { guard, sql } from '../core/sql.ts';

/*
 * Messages and reports are stored with one row for each batch of them, in claim_batch and report_batch. When a batch
 * is due it is deleted, and the few rows in it that still wait get a time, `due_at`, which an index holds.
 * Every other row never has one: none of its updates changes an index.
 */

/**
 * A busy process enqueues a job seconds after it wrote the row, so the job of a row may be this much younger than the
 * row.
 */
export const ENQUEUE_DELAY = `make_interval(secs => ${RESCUE_AFTER_SECONDS})`;

/**
 * Maximum number of batches that one call reads, of a lane or of the reports of a queue. It stops early once they hold
 * about ROWS_IN_BATCHES rows.
 */
const BATCHES = 2_000;
const ROWS_IN_BATCHES = 100_000;

/**
 * Keeps Postgres from merging a subquery that looks up the rows of a batch by their keys. A plan made while the table was
 * empty would read the whole table for each batch. Ids of the same time are neighbours in the index, so that one look-up
 * of many takes a fifth of the time of one for each.
 */
const BY_KEY = 'OFFSET 0';

/** True for a message of `m` that waits for a submit or a report and has no time at which that is due. */
const WAITS = guard(sql`
  m.status IN ('PENDING', 'SENT')
  AND m.held_until IS NULL
  AND m.due_at IS NULL`);

/**
 * Locks the rows of `candidate` that no one has locked, in the order of their key. The others go back into a batch that
 * is due in a second.
 */
export const COLLECT_MESSAGES = sql`
  WITH batch AS (
    DELETE FROM claim_batch
     WHERE id IN (
       SELECT due.id
         FROM unnest($1::text[]) AS wanted(lane)
        CROSS JOIN LATERAL (
          SELECT id, sum(messages) OVER (ORDER BY due_at, id) - messages AS before
            FROM (
              SELECT id, due_at, messages
                FROM claim_batch
               WHERE lane = wanted.lane
                 AND due_at <= now()
               ORDER BY due_at, id
               LIMIT ${BATCHES}
                 FOR UPDATE SKIP LOCKED
            ) AS free
        ) AS due
        WHERE before < ${ROWS_IN_BATCHES}
     )
    RETURNING lane, submission_ids, froms, uptos
  ), candidate AS MATERIALIZED (
    SELECT DISTINCT batch.lane, waiting.submission_id, waiting.n
      FROM batch
     CROSS JOIN LATERAL (
       (
         -- the only message of most submissions
         SELECT m.submission_id, m.n
           FROM message m
          WHERE m.submission_id = ANY(batch.submission_ids)
            AND m.n = 1
            AND ${WAITS}
         ${BY_KEY}
       )
       UNION ALL
       SELECT further.submission_id, further.n
         FROM unnest(submission_ids, froms, uptos) AS chunk(id, fanned_from, fanned_upto)
        CROSS JOIN LATERAL (
          SELECT m.submission_id, m.n
            FROM message m
           WHERE m.submission_id = chunk.id
             AND m.n > GREATEST(chunk.fanned_from, 1)
             AND m.n <= chunk.fanned_upto
             AND ${WAITS}
          ${BY_KEY}
        ) AS further
        WHERE chunk.fanned_upto > 1
     ) AS waiting
  ), locked AS MATERIALIZED (
    SELECT candidate.lane, m.submission_id, m.n
      FROM candidate
      JOIN message m ON m.submission_id = candidate.submission_id AND m.n = candidate.n
     ORDER BY m.submission_id, m.n
       FOR UPDATE OF m SKIP LOCKED
  ), kept AS (
    INSERT INTO claim_batch (lane, due_at, messages, submission_ids, froms, uptos)
    SELECT lane, now() + interval '1 second', count(*), array_agg(submission_id), array_agg(n - 1), array_agg(n)
      FROM (TABLE candidate EXCEPT ALL TABLE locked) AS missed
     GROUP BY lane
  )
  UPDATE message m
     SET due_at = CASE
                    WHEN m.status = 'SENT' THEN m.sent_at + ${ENQUEUE_DELAY}
                    WHEN m.starts >= ${MAX_STARTS} THEN 'infinity'
                    ELSE m.claimed_until + interval '1 second'
                  END,
         asks = CASE m.status WHEN 'SENT' THEN m.gateway END,
         lane = locked.lane
    FROM locked
   WHERE m.submission_id = locked.submission_id
     AND m.n = locked.n
     AND ${WAITS}`;

/**
 * Reports with an earlier `due_at` are due. They are dated for RESCUE_AFTER_SECONDS; with a smaller $2 they are due
 * that much earlier. $1 time of the oldest job of the queue, $2 age of a row not claimed before, $3 true for reports
 * about codes.
 */
export const REPORTS_DUE = `LEAST(now(), $1::timestamptz) + make_interval(secs => ${RESCUE_AFTER_SECONDS} - $2::integer)`;

/**
 * True for a report `r` whose account has deferred reports as old as `r` or older. It is probably deferred itself; if
 * not, it is found once those are pushed.
 */
export const MAY_BE_DEFERRED = sql`
  CASE WHEN EXISTS (SELECT FROM deferred_batch) THEN EXISTS (
    SELECT
      FROM deferred_batch d
     WHERE d.is_code = r.is_code
       AND d.account_id = COALESCE(
             (SELECT account_id FROM submission WHERE id = r.submission_id),
             (SELECT account_id FROM inbound_message WHERE id = r.submission_id)
           )
       AND d.oldest <= r.id
  ) ELSE false END`;

/** The time at which the rescue examines a report again that may be deferred: when it is twice as old. */
export const afterDeferral = (receivedAt: string): string => sql`
  now() + GREATEST(now() - ${receivedAt}, ${ENQUEUE_DELAY})`;

/** Maximum number of reports of one batch that the rescue writes. */
const REPORTS_IN_BATCH = 1_000;

/** About how many reports one call of COLLECT_REPORTS reads: its last batch may exceed them. */
export const COLLECTED_REPORTS = 5_000;

/** Writes batches of the reports of a query of ids and times at which they are due. */
const batchesOf = (reports: string): string => sql`
  INSERT INTO report_batch (is_code, due_at, reports, ids)
  SELECT $3, max(due_at), count(*), array_agg(id)
    FROM (
      SELECT id, due_at, (row_number() OVER (ORDER BY id) - 1) / ${REPORTS_IN_BATCH} AS place
        FROM (${reports}) AS given
    ) AS placed
   GROUP BY place`;

/** Reports that someone has locked: they are due again in a second. */
const KEPT = sql`
  SELECT id, now() + interval '1 second' AS due_at
    FROM (SELECT id FROM candidate WHERE NOT may_be_deferred EXCEPT ALL TABLE locked) AS missed`;

/** Reports that may be deferred: they are due again when they are twice as old. */
const DEFERRED = sql`
  SELECT id, ${afterDeferral('received_at')} AS due_at
    FROM candidate
   WHERE may_be_deferred`;

/** Returns the number of reports that were read. */
export const COLLECT_REPORTS = sql`
  WITH batch AS (
    DELETE FROM report_batch
     WHERE id IN (
       SELECT id
         FROM (
           SELECT id, sum(reports) OVER (ORDER BY due_at, id) - reports AS before
             FROM (
               SELECT id, due_at, reports
                 FROM report_batch
                WHERE is_code = $3
                  AND due_at < ${REPORTS_DUE}
                ORDER BY due_at, id
                LIMIT ${BATCHES}
                  FOR UPDATE SKIP LOCKED
             ) AS free
         ) AS due
        WHERE before < ${COLLECTED_REPORTS}
     )
    RETURNING reports, ids
  ), candidate AS MATERIALIZED (
    SELECT waiting.*
      FROM batch
     CROSS JOIN LATERAL (
       SELECT r.id, r.received_at, ${MAY_BE_DEFERRED} AS may_be_deferred
         FROM message_event r
        WHERE r.id = ANY(batch.ids)
          AND r.settled_at IS NULL
       ${BY_KEY}
     ) AS waiting
  ), locked AS MATERIALIZED (
    SELECT r.id
      FROM candidate
      JOIN message_event r ON r.id = candidate.id
     WHERE NOT may_be_deferred
     ORDER BY r.id
       FOR UPDATE OF r SKIP LOCKED
  ), kept AS (
    ${batchesOf(KEPT)}
  ), deferred AS (
    ${batchesOf(DEFERRED)}
  ), moved AS (
    UPDATE message_event r
       SET due_at = CASE WHEN r.starts < ${MAX_STARTS} THEN r.received_at + ${ENQUEUE_DELAY} ELSE 'infinity' END
     WHERE r.id = ANY(ARRAY(SELECT id FROM locked)) -- a join might read the whole table for them
       AND r.settled_at IS NULL
       AND r.due_at IS NULL
  )
  SELECT COALESCE(sum(reports), 0)::integer AS read
    FROM batch`;
