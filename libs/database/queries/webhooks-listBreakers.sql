SELECT troubled.*, waiting.count AS backlog, waiting.first AS "oldestDueAt"
  FROM (
    SELECT w.id, w.name, w.account_id AS "accountId", a.name AS "accountName", w.endpoint, e.failures,
           e.failing_since AS "failingSince", e.open_until AS "nextProbeAt", w.disabled_reason AS "disabledReason",
           CASE
             WHEN w.disabled_at IS NOT NULL THEN 'disabled'
             WHEN e.open_level > 0 AND e.open_until > now() THEN 'open'
             WHEN e.open_level > 0 THEN 'half_open'
             ELSE 'failing'
           END AS state
      FROM endpoint e
      JOIN webhook w ON w.id = e.webhook_id
      JOIN account a ON a.id = w.account_id
     WHERE w.deleted_at IS NULL
       AND (e.open_level > 0 OR e.failures > 0)
       AND e.webhook_id > $1
  ) AS troubled
 CROSS JOIN LATERAL (
   SELECT count(*)::integer AS count, min(next_attempt_at) AS first
     FROM (
       SELECT next_attempt_at
         FROM push
        WHERE webhook_id = troubled.id
          AND next_attempt_at IS NOT NULL
        ORDER BY webhook_id, next_attempt_at
        LIMIT 10000
     ) AS part
 ) AS waiting
 WHERE ($2::text IS NULL OR troubled.state = $2)
   AND ($3::uuid IS NULL OR troubled."accountId" = $3)
 ORDER BY troubled.id
 LIMIT $4;
