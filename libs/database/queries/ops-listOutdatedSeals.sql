SELECT *
  FROM (
    SELECT 'webhook' AS table, account_id AS "accountId", id, sealed_secret AS sealed
      FROM webhook
     WHERE deleted_at IS NULL
     UNION ALL
    SELECT 'gateway', NULL, id, sealed_secrets
      FROM gateway
     UNION ALL
    SELECT 'app_user', NULL, id, sealed_totp
      FROM app_user
  ) AS value
 WHERE substr(sealed, 1, octet_length($1::bytea)) <> $1::bytea
 ORDER BY random()
 LIMIT 1000;
