SELECT id, sealed_totp AS "sealedTotp"
  FROM app_user
 WHERE substr(sealed_totp, 1, octet_length($1::bytea)) <> $1::bytea
 ORDER BY random()
 LIMIT 1000;
