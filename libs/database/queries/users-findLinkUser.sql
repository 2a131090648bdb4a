SELECT user_id AS "userId" FROM sign_in_link WHERE hash = $1 AND expires_at > now();
