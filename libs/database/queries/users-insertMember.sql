INSERT INTO user_account (account_id, user_id, role)
VALUES ($1, $2, $3)
ON CONFLICT ON CONSTRAINT user_account_pkey DO NOTHING
RETURNING user_id;
