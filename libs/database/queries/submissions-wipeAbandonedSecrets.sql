UPDATE submission
   SET sealed = NULL
 WHERE id IN (
   SELECT s.id
     FROM submission s
    WHERE s.sealed IS NOT NULL
      AND NOT s.waits
      AND s.fanned_out_at < now() - interval '1 minute'
      AND NOT EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
    ORDER BY s.id
    LIMIT 1000
      FOR UPDATE OF s SKIP LOCKED
 );
