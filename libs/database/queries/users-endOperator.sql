UPDATE app_user SET is_operator = false, disabled_at = NULL WHERE id = $1;
