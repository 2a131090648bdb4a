UPDATE api_key k
   SET last_used_at = used.at
  FROM (
    SELECT *
      FROM unnest($1::uuid[], $2::timestamptz[]) AS given(id, at)
     ORDER BY id
  ) AS used
 WHERE k.id = used.id
   AND (k.last_used_at IS NULL OR k.last_used_at < used.at - interval '30 seconds');
