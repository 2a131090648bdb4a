INSERT INTO verification_number (account_id, recipient)
SELECT DISTINCT account_id, recipient
  FROM unnest($1::uuid[], $2::text[])
         AS wanted(account_id, recipient)
 ORDER BY account_id, recipient
ON CONFLICT ON CONSTRAINT verification_number_pkey DO UPDATE
   SET touched_at = clock_timestamp()
RETURNING account_id AS "accountId", recipient, sends,
          array_remove(wrong_at, NULL) AS "wrongAt", (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now;
