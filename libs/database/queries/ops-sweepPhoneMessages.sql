DELETE FROM phone_message
 WHERE (submission_id, n) IN (
   SELECT submission_id, n
     FROM phone_message
    WHERE received_at < now() - interval '1 hour'
    ORDER BY received_at
    LIMIT 10000
      FOR UPDATE SKIP LOCKED
 );
