INSERT INTO sign_in_link (hash, user_id, expires_at)
VALUES ($2, $1, now() + make_interval(mins => $3))
ON CONFLICT ON CONSTRAINT sign_in_link_of_user DO UPDATE
   SET hash = EXCLUDED.hash, expires_at = EXCLUDED.expires_at, created_at = now();
