UPDATE user_session SET account_id = $2 WHERE id = $1;
