SELECT count(*)::integer AS count
  FROM user_account ua
  JOIN app_user u ON u.id = ua.user_id
 WHERE ua.account_id = $2
   AND ua.role = 'admin'
   AND ua.disabled_at IS NULL
   AND u.disabled_at IS NULL
   AND u.id <> $1;

SELECT pg_advisory_xact_lock(hashtext('operators'));

SELECT count(*)::integer AS count
  FROM app_user
 WHERE is_operator
   AND disabled_at IS NULL
   AND id <> $1;
