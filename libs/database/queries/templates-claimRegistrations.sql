WITH due AS MATERIALIZED (
  SELECT r.template_id
    FROM (
      SELECT r.template_id, t.deleted_at IS NULL AS is_last,
             row_number() OVER (PARTITION BY t.account_id ORDER BY t.deleted_at IS NULL, r.due_at) AS place
        FROM template_registration r
        JOIN template t ON t.id = r.template_id
       WHERE r.deleted_at IS NULL
         AND r.due_at <= now()
         AND t.account_id <> ALL ($6::uuid[])
         AND (r.gateway = $1 AND COALESCE(r.business_account_id, $5) = $5
              AND (t.deleted_at IS NOT NULL OR r.version < t.version AND t.status = 'PENDING')
              OR r.business_account_id = $5 AND t.deleted_at IS NOT NULL)
         AND NOT EXISTS (
           SELECT
             FROM template_registration old
             JOIN template gone ON gone.id = old.template_id
            WHERE t.deleted_at IS NULL
              AND gone.deleted_at IS NOT NULL
              AND gone.name = t.name
              AND gone.language = t.language
              AND old.business_account_id = $5
              AND old.deleted_at IS NULL
         )
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
