SELECT body_hash AS "bodyHash", sealed_answer AS "sealedAnswer"
  FROM idempotency_key
 WHERE account_id = $1
   AND path = $2
   AND key = $3
   AND created_at >= now() - interval '48 hours';
