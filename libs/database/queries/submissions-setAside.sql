WITH aside AS (
  UPDATE submission
     SET waits = true, listed = false, due_at = 'infinity'
   WHERE id = $1
  RETURNING lane, account_id, sender, id
)
DELETE FROM ready_sms
 WHERE ctid = ANY(ARRAY(
   SELECT found.ctid
     FROM aside AS gone
    CROSS JOIN LATERAL (
      SELECT q.ctid
        FROM ready_sms q
       WHERE q.lane = gone.lane
         AND q.account_id = gone.account_id
         AND q.id = gone.id
      OFFSET 0
    ) AS found
 ));

WITH aside AS (
  UPDATE submission
     SET waits = true, listed = false, due_at = 'infinity'
   WHERE id = $1
  RETURNING lane, account_id, sender, id
)
DELETE FROM ready_chat
 WHERE ctid = ANY(ARRAY(
   SELECT found.ctid
     FROM aside AS gone
    CROSS JOIN LATERAL (
      SELECT q.ctid
        FROM ready_chat q
       WHERE q.lane = gone.lane
         AND q.sender = gone.sender
         AND q.id = gone.id
      OFFSET 0
    ) AS found
 ));
