WITH latest AS (
  SELECT status, duration_ms, report_id
    FROM (
      SELECT *
        FROM push
       WHERE webhook_id = $1
       ORDER BY report_id DESC
       LIMIT 5000
    ) AS p
   WHERE status <> 'WAITING' OR attempts > 0
   ORDER BY report_id DESC
   LIMIT 1000
), backlog AS (
  SELECT next_attempt_at
    FROM push
   WHERE webhook_id = $1
     AND next_attempt_at IS NOT NULL
   ORDER BY next_attempt_at
   LIMIT 100000
)
SELECT COALESCE(e.failures, 0) AS "failuresInRow",
       e.failing_since AS "failingSince",
       COALESCE(e.open_level, 0) AS "openLevel",
       e.open_until AS "openUntil",
       (SELECT count(*)::integer FROM backlog) AS backlog,
       (SELECT min(CASE
                     WHEN next_attempt_at IS NOT NULL
                          AND w.disabled_at IS NULL
                     THEN GREATEST(next_attempt_at, e.open_until)
                   END)
          FROM backlog) AS "nextAttemptAt",
       count(latest.*)::integer AS sampled,
       count(*) FILTER (WHERE latest.status = 'DELIVERED')::integer AS delivered,
       count(*) FILTER (WHERE latest.status = 'EXHAUSTED')::integer AS exhausted,
       (SELECT count(*)::integer
          FROM latest l
          JOIN push_attempt d ON d.webhook_id = $1 AND d.report_id = l.report_id) AS "failedCalls",
       percentile_disc(0.5) WITHIN GROUP (ORDER BY latest.duration_ms)
         FILTER (WHERE latest.status = 'DELIVERED') AS "p50Ms",
       percentile_disc(0.95) WITHIN GROUP (ORDER BY latest.duration_ms)
         FILTER (WHERE latest.status = 'DELIVERED') AS "p95Ms"
  FROM (SELECT) AS one
  LEFT JOIN webhook w ON w.id = $1
  LEFT JOIN endpoint e ON e.webhook_id = $1
  LEFT JOIN latest ON true
 GROUP BY w.id, e.webhook_id;
