DELETE FROM user_session WHERE user_id = $1 AND id IS DISTINCT FROM $2;
