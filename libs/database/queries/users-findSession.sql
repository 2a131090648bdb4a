SELECT us.id AS "sessionId", u.id AS "userId", u.name AS "userName", u.email,
       CASE WHEN u.is_operator THEN 'operator' ELSE ua.role END AS role,
       a.id AS "accountId", a.status AS "accountStatus",
       a.sms_per_second IS NOT NULL OR a.paused_at IS NOT NULL AS "isPaced",
       us.used_at < now() - interval '1 minute' AS "isUseDue"
  FROM user_session us
  JOIN app_user u ON u.id = us.user_id
  JOIN account a ON a.id = us.account_id
  LEFT JOIN user_account ua ON ua.account_id = us.account_id AND ua.user_id = us.user_id
 WHERE us.hash = $1
   AND us.used_at > now() - make_interval(hours => 12)
       AND us.created_at > now() - make_interval(days => 7)
   AND u.disabled_at IS NULL
   AND (u.is_operator OR (ua.role IS NOT NULL AND ua.disabled_at IS NULL));
