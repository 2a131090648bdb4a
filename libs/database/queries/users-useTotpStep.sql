UPDATE app_user
   SET totp_step = $2
 WHERE id = $1
   AND (totp_step IS NULL OR totp_step < $2);
