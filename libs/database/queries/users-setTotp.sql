UPDATE app_user
   SET sealed_totp = $2, sealed_new_totp = NULL, totp_step = $3, recovery_hashes = $4
 WHERE id = $1;
