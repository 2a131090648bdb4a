UPDATE app_user SET sealed_new_totp = $2 WHERE id = $1;
