DELETE FROM sign_in_link WHERE user_id = $1;
