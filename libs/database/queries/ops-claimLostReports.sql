WITH batch AS (
  DELETE FROM report_batch
   WHERE id IN (
     SELECT id
       FROM (
         SELECT id, sum(reports) OVER (ORDER BY due_at, id) - reports AS before
           FROM report_batch
          WHERE is_code = $3
            AND due_at < LEAST(now(), $1::timestamptz) + make_interval(secs => 10 - $2::integer)
          ORDER BY due_at, id
          LIMIT 2000
       ) AS due
      WHERE before < 100000
   )
  RETURNING ids
), candidate AS MATERIALIZED (
  SELECT waiting.id
    FROM batch
   CROSS JOIN LATERAL unnest(ids) AS given(id)
   CROSS JOIN LATERAL (
     SELECT r.id
       FROM message_event r
      WHERE r.id = given.id
        AND r.settled_at IS NULL
     OFFSET 0
   ) AS waiting
), locked AS MATERIALIZED (
  SELECT r.id
    FROM candidate
    JOIN message_event r ON r.id = candidate.id
   ORDER BY r.id
     FOR UPDATE OF r SKIP LOCKED
), kept AS (
  INSERT INTO report_batch (is_code, due_at, reports, ids)
  SELECT $3, now() + interval '1 second', count(*), array_agg(id)
    FROM (TABLE candidate EXCEPT ALL TABLE locked) AS missed
  HAVING count(*) > 0
)
UPDATE message_event r
   SET due_at = CASE WHEN r.starts < 10 THEN r.received_at + make_interval(secs => 10) ELSE 'infinity' END
 WHERE r.id = ANY(ARRAY(SELECT id FROM locked)) -- a join might read the whole table for them
   AND r.settled_at IS NULL
   AND r.due_at IS NULL;

WITH claimed AS (
  UPDATE message_event r
     SET starts = r.starts + CASE WHEN r.settled_at IS NULL THEN 1 ELSE 0 END,
         due_at = CASE
                    WHEN r.settled_at IS NOT NULL THEN NULL
                    WHEN r.starts + 1 >= 10 THEN 'infinity'
                    ELSE r.received_at + make_interval(secs => 10 * 2 ^ (r.starts + 1))
                  END
   WHERE id IN (
     SELECT id
       FROM message_event
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
   )
  RETURNING r.id, r.settled_at
)
SELECT id
  FROM claimed
 WHERE settled_at IS NULL;
