SELECT t.id, t.version, tv.category, tv.components, tv.allow_category_change AS "allowCategoryChange",
          tv.code_expiration_minutes AS "codeExpirationMinutes"
     FROM template t
     JOIN template_version tv ON tv.template_id = t.id AND tv.version = t.version
    WHERE t.id = ANY($1::uuid[])
      AND t.status = 'PENDING'
      AND t.deleted_at IS NULL
      AND NOT EXISTS (
SELECT
  FROM gateway_number gn
       JOIN gateway g ON g.name = gn.gateway AND g.kind = 'cloud-api' AND g.enabled
       JOIN chat_sender cs ON cs.msisdn = gn.msisdn
 WHERE cs.account_id = t.account_id
   AND cs.chat_account_id = t.chat_account_id
);
