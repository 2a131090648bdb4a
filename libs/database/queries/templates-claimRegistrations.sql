WITH going AS MATERIALIZED (
  -- deleted ones that the provider still has
  SELECT r.template_id, r.business_account_id, r.due_at, t.account_id, t.name, t.language
    FROM template t
    JOIN template_registration r ON r.template_id = t.id
   WHERE CASE
           WHEN t.registered_version IS NULL THEN 'none'
           WHEN t.deleted_at IS NOT NULL THEN 'delete'
           WHEN t.status <> 'PENDING' THEN 'none'
           WHEN t.registered_version < t.version THEN 'send'
           ELSE 'decide'
         END = 'delete'
     AND (r.business_account_id = $5 OR r.business_account_id IS NULL AND r.gateway = $1)
), due AS MATERIALIZED (
  SELECT r.template_id
    FROM (
      SELECT template_id, is_last, row_number() OVER (PARTITION BY account_id ORDER BY is_last, due_at) AS place
        FROM (
          SELECT template_id, account_id, due_at, false AS is_last
            FROM going
          UNION ALL
          SELECT t.id, t.account_id, r.due_at, true
            FROM template t
            JOIN template_registration r ON r.template_id = t.id
           WHERE CASE
                   WHEN t.registered_version IS NULL THEN 'none'
                   WHEN t.deleted_at IS NOT NULL THEN 'delete'
                   WHEN t.status <> 'PENDING' THEN 'none'
                   WHEN t.registered_version < t.version THEN 'send'
                   ELSE 'decide'
                 END = 'send'
             AND t.registered_with IN (concat($1::text, ' ', $5::text), concat($1::text, ' '))
             AND NOT EXISTS (
               SELECT
                 FROM going
                WHERE name = t.name
                  AND language = t.language
                  AND business_account_id = $5
             )
        ) AS open
       WHERE due_at <= now()
         AND account_id <> ALL ($6::uuid[])
    ) AS placed
    JOIN template_registration r ON r.template_id = placed.template_id
   WHERE placed.place <= $4
     AND r.due_at <= now()
   ORDER BY placed.place, placed.is_last, r.due_at
   LIMIT $2
     FOR UPDATE OF r SKIP LOCKED
), claimed AS (
  UPDATE template_registration r
     SET due_at = now() + make_interval(secs => $3),
         starts = LEAST(r.starts + 1, 1000),
         claim_id = gen_random_uuid()
    FROM due
   WHERE r.template_id = due.template_id
  RETURNING r.template_id, r.gateway, r.gateway_template_id, r.version, r.attempted_version, r.starts, r.claim_id
)
SELECT c.template_id AS "templateId", t.account_id AS "accountId", c.gateway, t.name, t.language, t.version,
       t.deleted_at IS NOT NULL AS "isDeleted", c.gateway_template_id AS "gatewayTemplateId",
       c.version AS "registeredVersion", c.attempted_version AS "attemptedVersion", c.starts,
       c.claim_id AS "claimId", tv.category, tv.components, tv.allow_category_change AS "allowCategoryChange",
       tv.code_expiration_minutes AS "codeExpirationMinutes"
  FROM claimed c
  JOIN template t ON t.id = c.template_id
  JOIN template_version tv ON tv.template_id = t.id AND tv.version = t.version
 ORDER BY t.deleted_at IS NULL, t.id;
