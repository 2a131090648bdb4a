UPDATE api_key k
   SET last_used_at = used.at
  FROM unnest($1::uuid[], $2::timestamptz[]) AS used(id, at)
 WHERE k.id = used.id
   AND (k.last_used_at IS NULL OR k.last_used_at < used.at - interval '30 seconds');
