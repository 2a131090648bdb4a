DELETE FROM media
 WHERE id IN (
   SELECT id
     FROM media
    WHERE id = ANY($1::uuid[])
      AND used_at IS NULL
    ORDER BY id
      FOR UPDATE
 );
