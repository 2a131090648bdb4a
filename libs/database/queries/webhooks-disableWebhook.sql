UPDATE webhook
   SET disabled_at = now(), disabled_reason = $2
 WHERE id = $1
   AND disabled_at IS NULL
   AND ($3::text IS NULL OR endpoint = $3)
RETURNING id;
