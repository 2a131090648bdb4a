INSERT INTO user_account (account_id, user_id, role)
SELECT $1::uuid, u.id, $3
  FROM (SELECT id FROM app_user WHERE id = $2 FOR KEY SHARE) AS u
ON CONFLICT ON CONSTRAINT user_account_pkey DO NOTHING
RETURNING user_id;
