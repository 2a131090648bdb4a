SELECT id, handle, mime_type AS "mimeType", size_bytes AS "sizeBytes"
  FROM media
 WHERE account_id = $1
   AND handle = ANY($2::text[])
   AND stored_at IS NOT NULL;
