WITH matched AS (
  SELECT r.template_id, r.status AS old_status, r.quality AS old_quality, t.category AS old_category,
         r.status_at <= $11::timestamptz IS NOT FALSE AS is_current,
         r.version = t.version
           OR r.gateway_template_id IS NULL AND r.attempted_version = t.version AS is_newest
    FROM template_registration r
    JOIN template t ON t.id = r.template_id
   WHERE r.gateway = $1
     AND r.deleted_at IS NULL
     AND (r.gateway_template_id = $2
          OR r.gateway_template_id IS NULL AND r.attempted_version > 0
             AND t.name = $3 AND t.language = $4
             AND NOT EXISTS (
               SELECT
                 FROM template_registration known
                WHERE known.gateway = $1
                  AND known.gateway_template_id = $2
             ))
   LIMIT 1
     FOR UPDATE OF r
), noted AS (
  UPDATE template_registration r
     SET status = CASE WHEN is_current THEN COALESCE($5::text, r.status) ELSE r.status END,
         reason = CASE WHEN is_current AND $5 IS NOT NULL THEN $7 ELSE r.reason END,
         status_at = CASE
           WHEN is_current AND $5 <> COALESCE(r.status, '') THEN COALESCE(date_trunc('second', $11), r.status_at)
           ELSE r.status_at
         END,
         quality = COALESCE($8::text, r.quality),
         -- a comparison states the category of now, and not the one to come
         coming_category = CASE
           WHEN $10::text IS NULL AND ($9::text = r.coming_category OR $9 <> old_category) THEN NULL
           ELSE COALESCE($10, r.coming_category)
         END
    FROM matched
   WHERE r.template_id = matched.template_id
  RETURNING r.template_id
), before AS MATERIALIZED (
  SELECT t.id, t.status, t.category
    FROM template t
    JOIN noted ON noted.template_id = t.id
     FOR UPDATE OF t
), moved AS (
  UPDATE template t
     SET status = COALESCE($6, t.status),
         category = COALESCE($9, t.category),
         approved_version = CASE
           WHEN $6 IN ('APPROVED', 'PAUSED') THEN t.version
           WHEN $6 = 'REJECTED' THEN NULL
           ELSE t.approved_version
         END,
         rejection_reason = CASE
           WHEN $6 IS NULL THEN t.rejection_reason
           WHEN $6 = 'REJECTED' THEN COALESCE($7, 'Rejected without a reason')
         END,
         updated_at = now()
    FROM matched, before
   WHERE t.id = matched.template_id
     AND before.id = t.id
     AND matched.is_newest
     AND matched.is_current
     AND t.deleted_at IS NULL
     AND (t.status <> $6 OR t.category <> $9)
  RETURNING t.id, t.account_id, t.version, before.status AS old_status, t.status, before.category AS old_category,
            t.category
), events AS (
  INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
  SELECT uuidv7(), t.id, t.account_id, t.version, event.name, 'gateway:' || $1, event.reason, now()
    FROM matched
    JOIN template t ON t.id = matched.template_id
    LEFT JOIN moved ON moved.id = t.id
   CROSS JOIN LATERAL (
     SELECT CASE moved.status
              WHEN 'APPROVED' THEN CASE moved.old_status WHEN 'PAUSED' THEN 'resumed' ELSE 'approved' END
              WHEN 'REJECTED' THEN 'rejected'
              WHEN 'PAUSED' THEN 'paused'
            END AS name, $7 AS reason
      WHERE moved.status <> moved.old_status
      UNION ALL
     SELECT 'category_changed', moved.old_category || ' to ' || moved.category
      WHERE moved.category <> moved.old_category
      UNION ALL
     SELECT 'quality_changed', $8
      WHERE $8 IS DISTINCT FROM matched.old_quality AND $8::text IS NOT NULL
      UNION ALL
     SELECT 'flagged', $7
      WHERE $5 = 'FLAGGED' AND matched.is_current AND matched.old_status IS DISTINCT FROM 'FLAGGED'
   ) AS event
)
SELECT template_id AS "templateId" FROM noted;
