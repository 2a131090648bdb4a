WITH oldest AS MATERIALIZED (
  SELECT batch.*, free.room, free.room_of_all, free.place
    FROM unnest($1::boolean[], $2::uuid[], $3::integer[], $4::integer[], $5::integer[])
           AS free(is_code, account_id, room, room_of_all, place)
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
), fitting AS (
  -- batches until the room of their account is used up: the last may exceed it
  SELECT id, is_code, pushes, room_of_all, place, before
    FROM (
      SELECT *, sum(pushes) OVER (PARTITION BY is_code, account_id ORDER BY oldest, id) - pushes AS before
        FROM oldest
    ) AS summed
   WHERE before < room
), claimed AS (
  -- the same for the room of all
  SELECT id
    FROM (
      SELECT id, room_of_all, sum(pushes) OVER (PARTITION BY is_code ORDER BY place, before) - pushes AS before
        FROM fitting
    ) AS summed
   WHERE before < room_of_all
)
UPDATE deferred_batch d
   SET starts = LEAST(d.starts + 1, 32767),
       claimed_until = now() + make_interval(secs => $6)
  FROM claimed
 WHERE d.id = claimed.id
RETURNING d.id, d.is_code AS "isCode", d.account_id AS "accountId", d.pushes, d.ids AS "reportIds", d.starts;
