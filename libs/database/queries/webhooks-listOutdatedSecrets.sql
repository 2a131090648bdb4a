SELECT id, account_id AS "accountId", sealed_secret AS "sealedSecret"
  FROM webhook
 WHERE substr(sealed_secret, 1, octet_length($1::bytea)) <> $1::bytea
   AND deleted_at IS NULL
 ORDER BY random()
 LIMIT 1000;
