SELECT 1
  FROM app_user u
  JOIN account a ON a.id = $2
  LEFT JOIN user_account ua ON ua.user_id = u.id AND ua.account_id = a.id
 WHERE u.id = $1
   AND (u.is_operator OR (ua.role IS NOT NULL AND ua.disabled_at IS NULL));
