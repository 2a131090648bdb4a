UPDATE media
   SET kind = $2, mime_type = $3, size_bytes = $4,
       stored_at = now(), expires_at = now() + interval '30 days'
 WHERE id = $1
   AND stored_at IS NULL;
