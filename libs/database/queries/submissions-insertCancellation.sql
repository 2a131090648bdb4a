INSERT INTO message_cancellation (id, account_id, status, filter, from_id, before_id, total, created_at)
VALUES ($1, $2, 'RUNNING', $3, $4, $5, $6, $7);
