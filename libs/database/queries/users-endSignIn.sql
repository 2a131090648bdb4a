UPDATE app_user SET password_hash = $2 WHERE id = $1;

DELETE FROM sign_in_link WHERE user_id = $1;

DELETE FROM user_session WHERE user_id = $1 AND id IS DISTINCT FROM $2;
