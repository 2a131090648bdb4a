UPDATE submission
   SET waits = false
 WHERE id IN (
   SELECT id
     FROM submission
    WHERE waits
      AND channel = $1
      AND due_at <= now()
    ORDER BY channel, due_at
    LIMIT 5000
      FOR UPDATE SKIP LOCKED
 )
RETURNING lane;
