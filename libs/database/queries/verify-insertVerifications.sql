WITH call AS (
  SELECT *
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[],
                $7::boolean[], $8::smallint[], $9::integer[], $10::text[], $11::text[],
                $12::text[], $13::bytea[])
           AS call(id, account_id, config_id, key_id, recipient, country, is_test,
                   max_attempts, ttl_seconds, guard_reason, path, key, body_hash)
), keyed AS (
  -- in the order of the keys, so that two processes with the same keys never deadlock
  INSERT INTO idempotency_key AS k (account_id, path, key, body_hash, resource_id)
  SELECT account_id, path, key, body_hash, id
    FROM call
   WHERE key IS NOT NULL
   ORDER BY account_id, path, key
  ON CONFLICT ON CONSTRAINT idempotency_key_pkey DO UPDATE
     SET body_hash = EXCLUDED.body_hash, resource_id = EXCLUDED.resource_id, created_at = now()
   WHERE k.created_at < now() - interval '48 hours'
  RETURNING resource_id
)
INSERT INTO verification (id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, guard_reason,
                          created_at, expires_at)
SELECT id, account_id, config_id, key_id, recipient, country, is_test, max_attempts, guard_reason,
       clock_timestamp(), clock_timestamp() + make_interval(secs => ttl_seconds)
  FROM call
 WHERE key IS NULL
    OR id IN (SELECT resource_id FROM keyed)
RETURNING id;

UPDATE verification
   SET status = 'REPLACED', code_mac = NULL
 WHERE id IN (
   SELECT id
     FROM verification
    WHERE id = ANY($1::uuid[])
      AND status IN ('WAITING', 'SENT')
    ORDER BY account_id, recipient, id
      FOR UPDATE
 );
