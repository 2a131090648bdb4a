INSERT INTO app_user (id, email, name, is_operator)
VALUES ($1, $2, $3, $4)
ON CONFLICT ON CONSTRAINT app_user_email DO NOTHING
RETURNING id;
