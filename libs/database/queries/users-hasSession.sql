SELECT 1 FROM user_session WHERE id = $1 AND user_id = $2;
