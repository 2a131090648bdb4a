WITH expired AS (
  DELETE FROM used_sign_in WHERE expires_at < now() - interval '1 minute'
)
INSERT INTO used_sign_in (hash, expires_at)
VALUES ($1, $2)
ON CONFLICT ON CONSTRAINT used_sign_in_pkey DO NOTHING
RETURNING hash;
