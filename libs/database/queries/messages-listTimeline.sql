SELECT r.received_at AS at, 'report' AS event, r.status, r.err_code AS "errCode", r.description,
       r.gateway_code AS "gatewayCode", NULLIF(r.gateway, '') AS gateway, r.details,
       NULL::uuid AS "webhookId", NULL AS "webhookName", NULL::smallint AS attempts,
       NULL::smallint AS "responseStatus", NULL::integer AS "durationMs",
       NULL::timestamptz AS "nextAttemptAt", NULL::uuid AS "reportId"
  FROM message_event r
 WHERE r.id = ANY($2::uuid[])
 UNION ALL
SELECT d.attempted_at, 'push_attempt', r.status, NULL, d.error, NULL, NULL, NULL, d.webhook_id, w.name, d.attempt,
       d.response_status, d.duration_ms, NULL, d.report_id
  FROM webhook w
  JOIN push_attempt d ON d.webhook_id = w.id AND d.report_id = ANY($2::uuid[])
  JOIN message_event r ON r.id = d.report_id
 WHERE w.account_id = $1
 UNION ALL
SELECT COALESCE(p.finished_at, p.created_at), 'push_' || lower(p.status), r.status, NULL, p.error, NULL, NULL, NULL,
       p.webhook_id, w.name, p.attempts, p.response_status, p.duration_ms,
       CASE
         WHEN p.next_attempt_at IS NOT NULL
              AND w.disabled_at IS NULL
         THEN GREATEST(p.next_attempt_at, e.open_until)
       END, p.report_id
  FROM webhook w
  JOIN push p ON p.webhook_id = w.id AND p.report_id = ANY($2::uuid[])
  LEFT JOIN endpoint e ON e.webhook_id = w.id
  JOIN message_event r ON r.id = p.report_id
 WHERE w.account_id = $1
 ORDER BY at;
