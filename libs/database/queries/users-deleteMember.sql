DELETE FROM user_account WHERE account_id = $1 AND user_id = $2;

DELETE FROM app_user u
 WHERE u.id = $1
   AND NOT u.is_operator
   AND NOT EXISTS (SELECT FROM user_account ua WHERE ua.user_id = u.id);
