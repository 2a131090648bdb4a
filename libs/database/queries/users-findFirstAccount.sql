SELECT a.id
  FROM app_user u
  CROSS JOIN LATERAL (
    (SELECT ua.account_id AS id, account.status, 0 AS place, ua.created_at
       FROM user_account ua
       JOIN account ON account.id = ua.account_id
      WHERE ua.user_id = u.id
        AND ua.disabled_at IS NULL)
    UNION ALL
    (SELECT account.id, account.status, 1, account.created_at
       FROM account
      WHERE u.is_operator
        AND account.status = 'active'
      ORDER BY account.id
      LIMIT 1)
    UNION ALL
    (SELECT account.id, account.status, 2, account.created_at
       FROM account
      WHERE u.is_operator
      ORDER BY account.id
      LIMIT 1)
  ) AS a
 WHERE u.id = $1
 ORDER BY a.status <> 'active', a.place, a.created_at
 LIMIT 1;
