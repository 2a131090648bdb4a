UPDATE app_user
   SET sealed_totp = $2, sealed_new_totp = NULL, totp_step = $3, recovery_hashes = $4
 WHERE id = $1;

UPDATE app_user SET password_hash = $2 WHERE id = $1;

DELETE FROM sign_in_link WHERE user_id = $1;

DELETE FROM user_session WHERE user_id = $1 AND id IS DISTINCT FROM $2;
