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
 CROSS JOIN (
   SELECT *
     FROM push
    WHERE webhook_id = $1
      AND report_id >= $2
      AND report_id < $3
      AND $4::uuid[] IS NULL
      AND true
    ORDER BY report_id DESC
    LIMIT 5000
 ) AS p
  LEFT JOIN endpoint e ON e.webhook_id = w.id
  JOIN message_event r ON r.id = p.report_id
  LEFT JOIN message m ON m.submission_id = r.submission_id AND m.n = r.n
  LEFT JOIN submission s ON s.id = r.submission_id
  LEFT JOIN inbound_message i ON i.id = CASE r.status WHEN 'RECEIVED' THEN r.submission_id END
 WHERE w.id = $1
   AND p.status = ANY($5::text[])
   AND COALESCE(m.recipient, i.sender) IS NOT NULL
   AND ($6::text IS NULL OR COALESCE(m.recipient, i.sender) = $6)
 ORDER BY p.report_id DESC
 LIMIT $7;

SELECT report_id AS "reportId"
  FROM (
    SELECT *
      FROM push
     WHERE webhook_id = $1
       AND report_id >= $2
       AND report_id < $3
       AND $4::uuid[] IS NULL
       AND true
     ORDER BY report_id DESC
     LIMIT 5000
  ) AS p
 ORDER BY report_id DESC
OFFSET 4999;

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
 CROSS JOIN (
   SELECT *
     FROM push
    WHERE webhook_id = $1
      AND report_id >= $2
      AND report_id < $3
      AND report_id = ANY($4::uuid[])
      AND status <> 'DELIVERED'
    ORDER BY report_id DESC
    LIMIT 5000
 ) AS p
  LEFT JOIN endpoint e ON e.webhook_id = w.id
  JOIN message_event r ON r.id = p.report_id
  LEFT JOIN message m ON m.submission_id = r.submission_id AND m.n = r.n
  LEFT JOIN submission s ON s.id = r.submission_id
  LEFT JOIN inbound_message i ON i.id = CASE r.status WHEN 'RECEIVED' THEN r.submission_id END
 WHERE w.id = $1
   AND p.status = ANY($5::text[])
   AND COALESCE(m.recipient, i.sender) IS NOT NULL
   AND ($6::text IS NULL OR COALESCE(m.recipient, i.sender) = $6)
 ORDER BY p.report_id DESC
 LIMIT $7;

SELECT report_id AS "reportId"
  FROM (
    SELECT *
      FROM push
     WHERE webhook_id = $1
       AND report_id >= $2
       AND report_id < $3
       AND report_id = ANY($4::uuid[])
       AND status <> 'DELIVERED'
     ORDER BY report_id DESC
     LIMIT 5000
  ) AS p
 ORDER BY report_id DESC
OFFSET 4999;
