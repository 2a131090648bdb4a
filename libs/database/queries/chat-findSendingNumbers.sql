SELECT cs.account_id AS "accountId", cs.msisdn, cs.chat_account_id::float8 AS "chatAccountId",
       ca.session_window AS "sessionWindow"
  FROM unnest($1::uuid[], $2::text[])
         AS wanted(account_id, msisdn)
  JOIN chat_sender cs ON cs.msisdn = wanted.msisdn AND cs.account_id = wanted.account_id
  JOIN chat_account ca ON ca.id = cs.chat_account_id;
