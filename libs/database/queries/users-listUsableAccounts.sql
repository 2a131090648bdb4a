SELECT a.id, a.name
  FROM app_user u
  JOIN user_account ua ON ua.user_id = u.id AND ua.disabled_at IS NULL
  JOIN account a ON a.id = ua.account_id
 WHERE u.id = $1
UNION
(SELECT a.id, a.name
   FROM account a
  WHERE (SELECT u.is_operator FROM app_user u WHERE u.id = $1)
  ORDER BY a.id
  LIMIT 200)
 ORDER BY name, id
 LIMIT 200;
