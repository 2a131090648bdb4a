UPDATE user_account
   SET disabled_at = CASE WHEN $3 THEN COALESCE(disabled_at, now()) END
 WHERE account_id = $1
   AND user_id = $2;
