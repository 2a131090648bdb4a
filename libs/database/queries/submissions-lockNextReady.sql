WITH next AS (
  SELECT account_id
    FROM ready_sms
   WHERE lane = $1
     AND account_id > $2
   ORDER BY account_id
   LIMIT 1
)
SELECT oldest.id
  FROM next
 CROSS JOIN LATERAL (
   SELECT s.id,
          s.fanned_out_at IS NULL AND NOT s.waits AS is_ready
     FROM ready_sms q
     JOIN submission s ON s.id = q.id
    WHERE q.lane = $1
      AND q.account_id = next.account_id
    ORDER BY q.id
    LIMIT 1
      FOR UPDATE OF s SKIP LOCKED
 ) AS oldest
 WHERE oldest.is_ready;

WITH next AS (
  SELECT sender
    FROM ready_chat
   WHERE lane = $1
     AND sender > $2
   ORDER BY sender
   LIMIT 1
)
SELECT oldest.id
  FROM next
 CROSS JOIN LATERAL (
   SELECT s.id,
          s.fanned_out_at IS NULL AND NOT s.waits AS is_ready
     FROM ready_chat q
     JOIN submission s ON s.id = q.id
    WHERE q.lane = $1
      AND q.sender = next.sender
    ORDER BY q.id
    LIMIT 1
      FOR UPDATE OF s SKIP LOCKED
 ) AS oldest
 WHERE oldest.is_ready;
