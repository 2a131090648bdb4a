SELECT id
  FROM media
 WHERE used_at IS NULL
   AND expires_at < now()
 ORDER BY expires_at
 LIMIT 100;
