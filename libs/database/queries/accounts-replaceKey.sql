UPDATE api_key
   SET replaced_by = $2, expires_at = LEAST(expires_at, now() + make_interval(hours => $3))
 WHERE id = $1
RETURNING expires_at AS "expiresAt";
