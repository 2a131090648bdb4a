SELECT t.id, t.chat_account_id::float8 AS "chatAccountId", t.name, t.language, t.status, t.version, t.category,
       tv.components, tv.allow_category_change AS "allowCategoryChange",
       tv.code_expiration_minutes AS "codeExpirationMinutes", t.rejection_reason AS "rejectionReason",
       LEAST(
         CASE WHEN t.edited_on = (now() AT TIME ZONE 'UTC')::date THEN 0 ELSE 1 END,
         10 - CASE
                WHEN date_trunc('month', t.edited_on) = date_trunc('month', (now() AT TIME ZONE 'UTC')::date)
                THEN t.month_edits
                ELSE 0
              END
       ) AS "editsLeftToday",
       10 - CASE
              WHEN date_trunc('month', t.edited_on) = date_trunc('month', (now() AT TIME ZONE 'UTC')::date)
              THEN t.month_edits
              ELSE 0
            END AS "editsLeftThisMonth",
       t.created_at AS "createdAt", t.updated_at AS "updatedAt",
       (
         SELECT jsonb_build_object('gateway', r.gateway, 'gatewayTemplateId', r.gateway_template_id, 'status', r.status,
                                   'reason', r.reason, 'quality', r.quality, 'comingCategory', r.coming_category,
                                   'problem', r.problem)
           FROM template_registration r
          WHERE r.template_id = t.id
       ) AS registration
  FROM template t
  JOIN template_version tv ON tv.template_id = t.id AND tv.version = t.version
 WHERE t.account_id = $1
   AND t.deleted_at IS NULL
   AND ($2::uuid IS NULL OR t.id < $2)
   AND ($3::bigint IS NULL OR t.chat_account_id = $3)
   AND ($4::text IS NULL OR t.status = $4)
   AND ($5::text IS NULL OR t.category = $5)
   AND ($6::text IS NULL OR t.language = $6)
   AND ($7::text IS NULL OR t.name = $7)
 ORDER BY t.id DESC
 LIMIT $8;
