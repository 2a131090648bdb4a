UPDATE user_account ua
   SET disabled_at = u.disabled_at
  FROM app_user u
 WHERE u.id = $1
   AND u.disabled_at IS NOT NULL
   AND ua.user_id = u.id
   AND ua.disabled_at IS NULL;

UPDATE app_user SET is_operator = false, disabled_at = NULL WHERE id = $1;
