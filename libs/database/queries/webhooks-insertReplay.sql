INSERT INTO push_replay (id, account_id, webhook_id, status, statuses, from_at, to_at, after_id, upto_id,
                         rate_per_second, total, created_at)
VALUES ($1, $2, $3, 'RUNNING', $4, $5, $6, $7, $8, $9, $10, $11);
