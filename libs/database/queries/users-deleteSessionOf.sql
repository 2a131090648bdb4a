DELETE FROM user_session WHERE hash = $1;
