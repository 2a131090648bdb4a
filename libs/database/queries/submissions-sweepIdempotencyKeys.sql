DELETE FROM idempotency_key
 WHERE (account_id, path, key) IN (
   SELECT account_id, path, key
     FROM idempotency_key
    WHERE created_at < now() - interval '48 hours'
    ORDER BY created_at
    LIMIT 10000
      FOR UPDATE SKIP LOCKED
 );
