UPDATE webhook
   SET deleted_at = now(),
       disabled_at = COALESCE(disabled_at, now()),
       disabled_reason = 'deleted',
       sealed_secret = '',
       old_secrets = '[]'
 WHERE id = $1
   AND account_id = $2
   AND deleted_at IS NULL
RETURNING id;
