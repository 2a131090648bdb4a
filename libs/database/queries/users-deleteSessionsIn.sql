DELETE FROM user_session WHERE user_id = $1 AND account_id = $2;
