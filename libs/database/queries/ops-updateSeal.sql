UPDATE webhook
   SET sealed_secret = $3
 WHERE id = $1
   AND sealed_secret = $2;

UPDATE gateway
   SET sealed_secrets = $3
 WHERE id = $1
   AND sealed_secrets = $2;

UPDATE app_user
   SET sealed_totp = $3
 WHERE id = $1
   AND sealed_totp = $2;
