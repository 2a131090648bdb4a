SELECT p.report_id AS "reportId", p.webhook_id AS "webhookId", w.channel, r.submission_id AS "submissionId", r.n,
       COALESCE(m.recipient, i.sender) AS recipient, r.status AS "reportStatus", p.status, p.error, p.attempts,
       p.response_status AS "responseStatus", p.duration_ms AS "durationMs", p.dns_ms AS "dnsMs",
       p.connect_ms AS "connectMs", p.tls_ms AS "tlsMs", p.first_byte_ms AS "firstByteMs",
       CASE
         WHEN p.next_attempt_at IS NOT NULL
              AND w.disabled_at IS NULL
         THEN GREATEST(p.next_attempt_at, e.open_until)
       END AS "nextAttemptAt",
       p.created_at AS "createdAt", p.finished_at AS "finishedAt"
  FROM webhook w
  JOIN push p ON p.webhook_id = w.id
  LEFT JOIN endpoint e ON e.webhook_id = w.id
  JOIN message_event r ON r.id = p.report_id
  LEFT JOIN message m ON m.submission_id = r.submission_id AND m.n = r.n
  LEFT JOIN submission s ON s.id = r.submission_id
  LEFT JOIN inbound_message i ON i.id = CASE r.status WHEN 'RECEIVED' THEN r.submission_id END
 WHERE w.id = $1
   AND w.account_id = $2
   AND w.deleted_at IS NULL
   AND p.report_id = $3
   AND COALESCE(m.recipient, i.sender) IS NOT NULL;
