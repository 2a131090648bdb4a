UPDATE media
   SET used_at = COALESCE(used_at, now())
 WHERE id IN (
   SELECT id
     FROM media
    WHERE account_id = $1
      AND handle = ANY($2::text[])
      AND stored_at IS NOT NULL
      AND expires_at > now()
    ORDER BY id
      FOR NO KEY UPDATE
 )
RETURNING handle, kind;
