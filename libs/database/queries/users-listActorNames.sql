SELECT 'user:' || id AS actor, name
  FROM app_user
 WHERE id = ANY($1::uuid[])
UNION ALL
SELECT 'api-key:' || id, name
  FROM api_key
 WHERE account_id = $3
   AND id = ANY($2::uuid[]);
