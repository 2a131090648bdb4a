UPDATE app_user SET sealed_totp = $3 WHERE id = $1 AND sealed_totp = $2;
