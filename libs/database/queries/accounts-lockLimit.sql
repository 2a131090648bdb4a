SELECT limits->>$2 AS max
  FROM account
 WHERE id = $1
 FOR NO KEY UPDATE;

SELECT count(*)
  FROM webhook
 WHERE account_id = $1
   AND deleted_at IS NULL;

SELECT count(*)
  FROM chat_account
 WHERE account_id = $1
   AND deleted_at IS NULL;

SELECT count(*)
  FROM chat_account ca
  JOIN chat_sender cs ON cs.chat_account_id = ca.id
 WHERE ca.account_id = $1
   AND ca.deleted_at IS NULL;

SELECT count(DISTINCT name)
  FROM template
 WHERE account_id = $1
   AND chat_account_id = $2
   AND name <> $3
   AND deleted_at IS NULL;

SELECT count(*)
  FROM sms_template
 WHERE account_id = $1;

SELECT count(*)
  FROM verification_config
 WHERE account_id = $1
   AND deleted_at IS NULL;

SELECT count(*)
  FROM media
 WHERE account_id = $1
   AND used_at IS NULL;

SELECT COALESCE(sum(size_bytes), 0) AS count
  FROM media
 WHERE account_id = $1;

SELECT count(*)
  FROM api_key
 WHERE account_id = $1
   AND revoked_at IS NULL
   AND (expires_at IS NULL OR expires_at > now());

SELECT count(*)
  FROM user_account
 WHERE account_id = $1;
