UPDATE app_user
   SET disabled_at = CASE WHEN $2 THEN COALESCE(disabled_at, now()) END
 WHERE id = $1
   AND is_operator;
