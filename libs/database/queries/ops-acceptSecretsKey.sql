LOCK TABLE secrets_key IN SHARE ROW EXCLUSIVE MODE;

INSERT INTO secrets_key (id)
SELECT $1::bytea
 WHERE NOT EXISTS (SELECT FROM secrets_key)
    OR EXISTS (SELECT FROM secrets_key WHERE id = ANY ($2::bytea[]))
ON CONFLICT ON CONSTRAINT secrets_key_pkey DO NOTHING;

SELECT id
  FROM secrets_key
 WHERE id = $1;
