SELECT k.body_hash AS "bodyHash",
       CASE WHEN s.id IS NOT NULL THEN
         jsonb_build_object('id', s.id, 'recipients', s.recipients, 'content', s.content)
       END AS send
  FROM idempotency_key k
  LEFT JOIN submission s ON s.id = k.resource_id
 WHERE k.account_id = $1
   AND k.path = $2
   AND k.key = $3
   AND k.created_at >= now() - interval '48 hours';
