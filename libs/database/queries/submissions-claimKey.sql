INSERT INTO idempotency_key AS k (account_id, path, key, body_hash, sealed_answer)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT ON CONSTRAINT idempotency_key_pkey DO UPDATE
   SET body_hash = EXCLUDED.body_hash, sealed_answer = EXCLUDED.sealed_answer, created_at = now()
 WHERE k.created_at < now() - interval '48 hours'
RETURNING account_id;

SELECT body_hash AS "bodyHash", sealed_answer AS "sealedAnswer"
  FROM idempotency_key
 WHERE account_id = $1
   AND path = $2
   AND key = $3
   AND created_at >= now() - interval '48 hours';
