INSERT INTO media (id, account_id, handle, expires_at)
VALUES ($1, $2, $3, now() + interval '1 hours');
