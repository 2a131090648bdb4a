DELETE FROM sign_in_link WHERE hash = $1 AND expires_at > now() RETURNING user_id;
