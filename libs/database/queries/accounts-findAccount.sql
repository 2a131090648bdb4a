SELECT a.id, a.name, a.status, a.created_at AS "createdAt", a.paused_at AS "pausedAt",
a.sms_per_second AS "smsPerSecond", a.limits,
(SELECT count(*)::integer
  FROM api_key k
 WHERE k.account_id = a.id
   AND k.revoked_at IS NULL
   AND (k.expires_at IS NULL OR k.expires_at > now())) AS keys,
(SELECT count(*)::integer
  FROM user_account ua
 WHERE ua.account_id = a.id
   AND ua.disabled_at IS NULL) AS users FROM account a WHERE a.id = $1;
