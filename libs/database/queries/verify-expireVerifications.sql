UPDATE verification
   SET status = 'EXPIRED', code_mac = NULL
 WHERE id IN (
   SELECT id
     FROM verification
    WHERE status IN ('WAITING', 'SENT')
      AND expires_at <= now()
    ORDER BY expires_at
    LIMIT 5000
      FOR UPDATE SKIP LOCKED
 );
