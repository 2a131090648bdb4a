UPDATE media
   SET stored_at = NULL, expires_at = now() + interval '1 hours'
 WHERE id IN (
   SELECT id
     FROM media
    WHERE id = ANY($1::uuid[])
      AND used_at IS NULL
    ORDER BY id
      FOR UPDATE
 );
