INSERT INTO media (id, account_id, handle, size_bytes, expires_at)
VALUES ($1, $2, $3, $4, now() + interval '1 hours');
