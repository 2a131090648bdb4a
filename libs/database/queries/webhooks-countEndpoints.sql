WITH RECURSIVE waiting AS (
  (SELECT webhook_id, next_attempt_at, 1 AS place
     FROM push
    WHERE next_attempt_at IS NOT NULL
      AND true
    ORDER BY webhook_id, next_attempt_at
    LIMIT 1)
  UNION ALL
  SELECT next.webhook_id, next.next_attempt_at, waiting.place + 1
    FROM waiting,
         LATERAL (
           SELECT webhook_id, next_attempt_at
             FROM push
            WHERE next_attempt_at IS NOT NULL
              AND webhook_id > waiting.webhook_id
            ORDER BY webhook_id, next_attempt_at
            LIMIT 1
         ) AS next
   WHERE true
)
SELECT known.enabled, known.disabled, troubled.failing, troubled.open,
       (SELECT count(*)::integer FROM waiting) AS waiting,
       (SELECT GREATEST(0, COALESCE(extract(epoch FROM now() - min(waiting.next_attempt_at)), 0))::float
          FROM waiting
          JOIN webhook ow ON ow.id = waiting.webhook_id
          LEFT JOIN endpoint oe ON oe.webhook_id = ow.id
         WHERE ow.disabled_at IS NULL
           AND COALESCE(oe.open_level, 0) = 0) AS "overdueSeconds"
  FROM (
    SELECT count(*) FILTER (WHERE disabled_at IS NULL)::integer AS enabled,
           count(*) FILTER (WHERE disabled_at IS NOT NULL)::integer AS disabled
      FROM webhook
     WHERE deleted_at IS NULL
  ) AS known
 CROSS JOIN (
   SELECT count(*) FILTER (WHERE e.failures > 0)::integer AS failing,
          count(*) FILTER (WHERE e.open_level > 0)::integer AS open
     FROM endpoint e
     JOIN webhook w ON w.id = e.webhook_id
    WHERE (e.failures > 0 OR e.open_level > 0)
      AND w.deleted_at IS NULL
      AND w.disabled_at IS NULL
 ) AS troubled;
