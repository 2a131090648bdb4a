SELECT k.account_id AS "accountId", k.key, k.body_hash AS "bodyHash", k.resource_id AS "verifyId"
  FROM unnest($2::uuid[], $3::text[])
         AS call(account_id, key)
  JOIN idempotency_key k ON k.account_id = call.account_id AND k.path = $1 AND k.key = call.key
 WHERE k.created_at >= now() - interval '48 hours';
