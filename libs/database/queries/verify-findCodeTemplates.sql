SELECT cs.account_id AS "accountId", cs.msisdn, cs.chat_account_id::float8 AS "chatAccountId",
       ca.session_window AS "sessionWindow"
  FROM unnest($1::uuid[], $2::text[])
         AS wanted(account_id, msisdn)
  JOIN chat_sender cs ON cs.msisdn = wanted.msisdn AND cs.account_id = wanted.account_id
  JOIN chat_account ca ON ca.id = cs.chat_account_id;

SELECT wanted.i, found.*
  FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::integer[])
         AS wanted(account_id, chat_account_id, name, language, i)
 CROSS JOIN LATERAL (
   SELECT t.id, tv.version, t.name, t.language,
          CASE
            WHEN t.status = 'APPROVED' AND (t.category = 'AUTHENTICATION') = (tv.category = 'AUTHENTICATION')
            THEN t.category
            ELSE tv.category
          END AS category,
          tv.components, tv.allow_category_change AS "allowCategoryChange",
          tv.code_expiration_minutes AS "codeExpirationMinutes"
     FROM template t
     LEFT JOIN template_version tv
       ON tv.template_id = t.id
      AND tv.version = t.approved_version
      AND t.status IN ('APPROVED', 'PENDING')
    WHERE t.account_id = wanted.account_id
      AND t.chat_account_id = wanted.chat_account_id
      AND t.name = wanted.name
      AND (wanted.language IS NULL OR t.language = wanted.language)
      AND t.deleted_at IS NULL
    ORDER BY tv.version IS NULL, t.id
    LIMIT 1
 ) AS found;
