SELECT w.id AS "webhookId",
       COALESCE(e.failures, 0) AS "failuresInRow",
       e.failing_since AS "failingSince",
       COALESCE(e.open_level, 0) AS "openLevel",
       e.open_until AS "openUntil",
       backlog.count AS backlog,
       CASE
         WHEN backlog.first IS NOT NULL
              AND w.disabled_at IS NULL
         THEN GREATEST(backlog.first, e.open_until)
       END AS "nextAttemptAt",
       EXISTS (SELECT FROM endpoint_hour WHERE webhook_id = w.id)
       OR EXISTS (
         SELECT
           FROM (
             SELECT attempts
               FROM push
              WHERE webhook_id = w.id
              ORDER BY report_id DESC
              LIMIT 10
           ) AS latest
          WHERE attempts > 0
       ) AS "hasCalls",
       last.failure AS "lastFailure",
       COALESCE(hours.list, '[]') AS hours
  FROM webhook w
  LEFT JOIN endpoint e ON e.webhook_id = w.id
 CROSS JOIN LATERAL (
   SELECT count(*)::integer AS count, min(next_attempt_at) AS first
     FROM (
       SELECT next_attempt_at
         FROM push
        WHERE webhook_id = w.id
          AND next_attempt_at IS NOT NULL
        ORDER BY webhook_id, next_attempt_at
        LIMIT 10000
     ) AS part
 ) AS backlog
  LEFT JOIN LATERAL (
    SELECT jsonb_build_object('at', attempted_at, 'responseStatus', response_status, 'error', error) AS failure
      FROM push_attempt
     WHERE webhook_id = w.id
     ORDER BY report_id DESC, attempted_at DESC
     LIMIT 1
  ) AS last ON true
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('at', hour, 'calls', calls, 'failures', failures) ORDER BY hour) AS list
      FROM endpoint_hour
     WHERE webhook_id = w.id
       AND hour > now() - make_interval(hours => $2)
  ) AS hours ON true
 WHERE w.account_id = $1
   AND w.deleted_at IS NULL
   AND ($3::uuid IS NULL OR w.id = $3)
 ORDER BY w.id DESC;
