SELECT k.body_hash AS "bodyHash", s.id AS "submissionId", s.recipients, s.content
  FROM idempotency_key k
  JOIN submission s ON s.id = k.resource_id
 WHERE k.account_id = $1
   AND k.path = $2
   AND k.key = $3
   AND k.created_at >= now() - interval '48 hours';
