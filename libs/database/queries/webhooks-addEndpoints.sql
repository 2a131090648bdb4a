INSERT INTO endpoint (webhook_id)
SELECT id
  FROM webhook
 WHERE id = ANY($1::uuid[])
 ORDER BY id
ON CONFLICT ON CONSTRAINT endpoint_pkey DO NOTHING;
