DELETE FROM pinned_message
 WHERE (gateway, submission_id, n) IN (
   SELECT gateway, submission_id, n
     FROM pinned_message
    WHERE pinned_at < now() - interval '1 minute'
    LIMIT 10000
      FOR UPDATE SKIP LOCKED
 );
