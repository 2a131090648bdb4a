UPDATE webhook
   SET disabled_at = now(), disabled_reason = $2
 WHERE id = $1
   AND deleted_at IS NULL
   AND (disabled_at IS NULL
        OR disabled_reason IS DISTINCT FROM $2
        OR disabled_at < now() - interval '1 day');
