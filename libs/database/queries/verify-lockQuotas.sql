INSERT INTO verification_quota (account_id, quota)
SELECT DISTINCT account_id, quota
  FROM unnest($1::uuid[], $2::text[])
         AS wanted(account_id, quota)
 ORDER BY account_id, quota
ON CONFLICT ON CONSTRAINT verification_quota_pkey DO UPDATE
   SET used_at = now()
RETURNING account_id AS "accountId", quota, uses;
