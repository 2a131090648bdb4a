SELECT id, sealed_secret AS "sealedSecret"
  FROM webhook
 WHERE substr(sealed_secret, 1, 4) = ANY($1::bytea[])
 LIMIT 1000;
