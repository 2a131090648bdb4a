SELECT 1
  FROM app_user u
 WHERE u.id = $2
   AND (u.is_operator
        OR EXISTS (SELECT FROM user_account ua WHERE ua.user_id = u.id AND ua.account_id <> $1));
