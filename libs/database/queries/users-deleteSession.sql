DELETE FROM user_session WHERE id = $2 AND user_id = $1;
