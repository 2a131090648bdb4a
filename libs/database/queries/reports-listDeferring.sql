SELECT kind.is_code AS "isCode", account.account_id AS "accountId"
  FROM unnest($1::boolean[], $2::uuid[])
         AS kind(is_code, account_id)
 CROSS JOIN LATERAL (
   WITH RECURSIVE account AS (
     (SELECT d.account_id, 1 AS place
        FROM deferred_batch d
       WHERE d.is_code = kind.is_code
         AND d.account_id > kind.account_id
       ORDER BY d.account_id
       LIMIT 1)
     UNION ALL
     SELECT next.account_id, account.place + 1
       FROM account
      CROSS JOIN LATERAL (
        SELECT d.account_id
          FROM deferred_batch d
         WHERE d.is_code = kind.is_code
           AND d.account_id > account.account_id
         ORDER BY d.account_id
         LIMIT 1
      ) AS next
      WHERE account.place < $3::integer
   )
   SELECT account_id
     FROM account
 ) AS account;
