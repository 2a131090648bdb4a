DELETE FROM row_failure
 WHERE (kind, id) IN (
   SELECT kind, id
     FROM row_failure
    WHERE failed_at < now() - interval '30 days'
    ORDER BY failed_at
    LIMIT 10000
      FOR UPDATE SKIP LOCKED
 );
