WITH batch AS (
  DELETE FROM ready_batch
   WHERE id IN (
     SELECT due.id
       FROM unnest($1::text[]) AS wanted(lane)
      CROSS JOIN LATERAL (
        SELECT id, sum(submissions) OVER (ORDER BY due_at ASC, id ASC) - submissions AS before
          FROM (
            SELECT id, due_at, cardinality(ids) AS submissions
              FROM ready_batch
             WHERE lane = wanted.lane
               AND due_at <= CASE WHEN $2 THEN 'infinity' ELSE now() END
             ORDER BY due_at ASC, id ASC
             LIMIT 1000
               FOR UPDATE SKIP LOCKED
          ) AS free
      ) AS due
      WHERE before < 5000
   )
  RETURNING ids, messages
), listed AS (
  INSERT INTO ready_sms (lane, account_id, id, messages)
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
SELECT COALESCE(count(*) >= 1000 OR sum(cardinality(ids)) >= 5000, false) AS "isFull"
  FROM batch;

WITH batch AS (
  DELETE FROM ready_batch
   WHERE id IN (
     SELECT due.id
       FROM unnest($1::text[]) AS wanted(lane)
      CROSS JOIN LATERAL (
        SELECT id, sum(submissions) OVER (ORDER BY due_at DESC, id DESC) - submissions AS before
          FROM (
            SELECT id, due_at, cardinality(ids) AS submissions
              FROM ready_batch
             WHERE lane = wanted.lane
               AND due_at <= CASE WHEN $2 THEN 'infinity' ELSE now() END
             ORDER BY due_at DESC, id DESC
             LIMIT 1000
               FOR UPDATE SKIP LOCKED
          ) AS free
      ) AS due
      WHERE before < 5000
   )
  RETURNING ids, messages
), listed AS (
  INSERT INTO ready_sms (lane, account_id, id, messages)
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
SELECT COALESCE(count(*) >= 1000 OR sum(cardinality(ids)) >= 5000, false) AS "isFull"
  FROM batch;
