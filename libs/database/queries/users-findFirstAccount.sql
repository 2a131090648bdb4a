SELECT a.id
  FROM app_user u
  CROSS JOIN LATERAL (
    (SELECT ua.account_id AS id, 0 AS place, ua.created_at
       FROM user_account ua
      WHERE ua.user_id = u.id
        AND ua.disabled_at IS NULL)
    UNION ALL
    (SELECT account.id, 1, account.created_at
       FROM account
      WHERE u.is_operator
      ORDER BY account.id
      LIMIT 1)
  ) AS a
 WHERE u.id = $1
 ORDER BY a.place, a.created_at
 LIMIT 1;
