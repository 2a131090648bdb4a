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
                AND due_at < LEAST(now(), $1::timestamptz) + make_interval(secs => 10 - $2::integer)
              ORDER BY due_at, id
              LIMIT 2000
                FOR UPDATE SKIP LOCKED
           ) AS free
       ) AS due
      WHERE before < 5000
   )
  RETURNING reports, ids
), candidate AS MATERIALIZED (
  SELECT waiting.*
    FROM batch
   CROSS JOIN LATERAL (
     SELECT r.id, r.received_at, CASE WHEN EXISTS (SELECT FROM deferred_batch) THEN EXISTS (
                                   SELECT
                                     FROM deferred_batch d
                                    WHERE d.is_code = r.is_code
                                      AND d.account_id = COALESCE(
                                            (SELECT account_id FROM submission WHERE id = r.submission_id),
                                            (SELECT account_id FROM inbound_message WHERE id = r.submission_id)
                                          )
                                      AND d.oldest <= r.id
                                 ) ELSE false END AS may_be_deferred
       FROM message_event r
      WHERE r.id = ANY(batch.ids)
        AND r.settled_at IS NULL
     OFFSET 0
   ) AS waiting
), locked AS MATERIALIZED (
  SELECT r.id
    FROM candidate
    JOIN message_event r ON r.id = candidate.id
   WHERE NOT may_be_deferred
   ORDER BY r.id
     FOR UPDATE OF r SKIP LOCKED
), kept AS (
  INSERT INTO report_batch (is_code, due_at, reports, ids)
  SELECT $3, max(due_at), count(*), array_agg(id)
    FROM (
      SELECT id, due_at, (row_number() OVER (ORDER BY id) - 1) / 1000 AS place
        FROM (SELECT id, now() + interval '1 second' AS due_at
                FROM (SELECT id FROM candidate WHERE NOT may_be_deferred EXCEPT ALL TABLE locked) AS missed) AS given
    ) AS placed
   GROUP BY place
), deferred AS (
  INSERT INTO report_batch (is_code, due_at, reports, ids)
  SELECT $3, max(due_at), count(*), array_agg(id)
    FROM (
      SELECT id, due_at, (row_number() OVER (ORDER BY id) - 1) / 1000 AS place
        FROM (SELECT id, now() + GREATEST(now() - received_at, make_interval(secs => 10)) AS due_at
                FROM candidate
               WHERE may_be_deferred) AS given
    ) AS placed
   GROUP BY place
), moved AS (
  UPDATE message_event r
     SET due_at = CASE WHEN r.starts < 10 THEN r.received_at + make_interval(secs => 10) ELSE 'infinity' END
   WHERE r.id = ANY(ARRAY(SELECT id FROM locked)) -- a join might read the whole table for them
     AND r.settled_at IS NULL
     AND r.due_at IS NULL
)
SELECT COALESCE(sum(reports), 0)::integer AS read
  FROM batch;

WITH due AS MATERIALIZED (
  SELECT id, settled_at IS NULL AND CASE WHEN EXISTS (SELECT FROM deferred_batch) THEN EXISTS (
                                      SELECT
                                        FROM deferred_batch d
                                       WHERE d.is_code = r.is_code
                                         AND d.account_id = COALESCE(
                                               (SELECT account_id FROM submission WHERE id = r.submission_id),
                                               (SELECT account_id FROM inbound_message WHERE id = r.submission_id)
                                             )
                                         AND d.oldest <= r.id
                                    ) ELSE false END AS may_be_deferred
    FROM message_event r
   WHERE is_code = $3
     AND due_at < LEAST(now(), $1::timestamptz) + make_interval(secs => 10 - $2::integer)
     AND (settled_at IS NOT NULL OR starts < 10
                                    AND received_at < now() - make_interval(
                                          secs => CASE starts WHEN 0 THEN $2::integer ELSE 10 * 2 ^ starts END
                                        )
                                    AND received_at < $1::timestamptz - make_interval(secs => 10))
   ORDER BY due_at
   LIMIT 5000
     FOR UPDATE SKIP LOCKED
), claimed AS (
  UPDATE message_event r
     SET starts = r.starts + CASE WHEN r.settled_at IS NULL AND NOT may_be_deferred THEN 1 ELSE 0 END,
         due_at = CASE
                    WHEN r.settled_at IS NOT NULL THEN NULL
                    WHEN may_be_deferred THEN now() + GREATEST(now() - r.received_at, make_interval(secs => 10))
                    WHEN r.starts + 1 >= 10 THEN 'infinity'
                    ELSE r.received_at + make_interval(secs => 10 * 2 ^ (r.starts + 1))
                  END
    FROM due
   WHERE r.id = due.id
  RETURNING r.id, r.settled_at IS NULL AND NOT may_be_deferred AS is_lost
)
SELECT id
  FROM claimed
 WHERE is_lost;
