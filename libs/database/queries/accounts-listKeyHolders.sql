SELECT k.hash, k.id AS "keyId", k.name AS "keyName", a.id AS "accountId", a.status AS "accountStatus", k.scopes,
       k.rate_limit_per_minute AS "rateLimitPerMinute",
       k.prefix = 'sb_test_' AS "isTest",
       a.sms_per_second IS NOT NULL OR a.paused_at IS NOT NULL AS "isPaced"
  FROM api_key k
  JOIN account a ON a.id = k.account_id
 WHERE k.hash = ANY($1::bytea[])
   AND k.revoked_at IS NULL
   AND (k.expires_at IS NULL OR k.expires_at > now());
