WITH oldest AS MATERIALIZED (
  SELECT batch.*, free.room
    FROM unnest($1::boolean[], $2::uuid[], $3::integer[])
           AS free(is_code, account_id, room)
   CROSS JOIN LATERAL (
     SELECT id, is_code, account_id, oldest, pushes
       FROM deferred_batch
      WHERE is_code = free.is_code
        AND account_id = free.account_id
        AND (claimed_until IS NULL OR claimed_until < now())
      ORDER BY oldest, id
      LIMIT 50
        FOR UPDATE SKIP LOCKED
   ) AS batch
), claimed AS (
  -- batches until the room is used up: the last may exceed it
  SELECT id
    FROM (
      SELECT id, room, sum(pushes) OVER (PARTITION BY is_code, account_id ORDER BY oldest, id) - pushes AS before
        FROM oldest
    ) AS summed
   WHERE before < room
)
UPDATE deferred_batch d
   SET starts = LEAST(d.starts + 1, 32767),
       claimed_until = now() + make_interval(secs => $4)
  FROM claimed
 WHERE d.id = claimed.id
RETURNING d.id, d.is_code AS "isCode", d.account_id AS "accountId", d.pushes, d.ids AS "reportIds", d.starts;
