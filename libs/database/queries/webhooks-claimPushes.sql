WITH due AS MATERIALIZED (
  SELECT oldest.webhook_id, oldest.report_id
    FROM unnest($1::uuid[], $2::integer[])
           AS free(webhook_id, room),
         LATERAL (
           SELECT webhook_id, report_id
             FROM push
            WHERE webhook_id = free.webhook_id
              AND next_attempt_at <= now()
            ORDER BY next_attempt_at
            LIMIT free.room
              FOR UPDATE SKIP LOCKED
         ) AS oldest
)
UPDATE push p
   -- an overflow of one row would fail the claims of all endpoints
   SET starts = LEAST(p.starts + 1, p.attempts + $4::integer, 32767),
       status = CASE WHEN (m.submission_id IS NULL AND i.id IS NULL
                           OR p.starts >= p.attempts + 10
                           OR p.attempts >= 30000) THEN 'EXHAUSTED' ELSE 'WAITING' END,
       next_attempt_at = CASE WHEN NOT (m.submission_id IS NULL AND i.id IS NULL
                                        OR p.starts >= p.attempts + 10
                                        OR p.attempts >= 30000) THEN now() + make_interval(secs => $3) END,
       error = CASE WHEN (m.submission_id IS NULL AND i.id IS NULL
                          OR p.starts >= p.attempts + 10
                          OR p.attempts >= 30000) THEN 'given_up' ELSE p.error END,
       finished_at = CASE WHEN (m.submission_id IS NULL AND i.id IS NULL
                                OR p.starts >= p.attempts + 10
                                OR p.attempts >= 30000) THEN now() END
  FROM due
  LEFT JOIN message_event r ON r.id = due.report_id
  LEFT JOIN message m ON m.submission_id = r.submission_id AND m.n = r.n
  LEFT JOIN submission s ON s.id = r.submission_id
  LEFT JOIN inbound_message i ON i.id = CASE r.status WHEN 'RECEIVED' THEN r.submission_id END
  LEFT JOIN LATERAL (
    SELECT max(GREATEST(
             now() + interval '1 second',
             CASE WHEN ep.error = 'in_flight' OR ep.starts > ep.attempts THEN NULL ELSE ep.next_attempt_at END
           )) AS until
      FROM unnest(m.moved_by[: array_position(m.moved_by, r.id) - 1]) AS earlier(id)
      JOIN message_event er ON er.id = earlier.id
      LEFT JOIN push ep ON ep.webhook_id = due.webhook_id AND ep.report_id = earlier.id
     WHERE cardinality(m.moved_by) > 1
       AND (er.settled_at IS NULL AND er.starts < 10 OR ep.status = 'WAITING')
  ) AS behind ON true
 WHERE p.webhook_id = due.webhook_id
   AND p.report_id = due.report_id
RETURNING r.id AS "reportId", r.submission_id AS "submissionId", r.n,
          COALESCE(m.account_id, i.account_id) AS "accountId",
          COALESCE(m.recipient, i.sender) AS recipient,
          COALESCE(s.sender, i.recipient) AS sender,
          s.lane, r.gateway, r.status, r.err_code AS "errCode", r.description, r.operator_circle AS "operatorCircle",
          COALESCE(m.credits, 0) AS credits,
          COALESCE(s.accepted_at, i.received_at) AS "acceptedAt",
          CASE WHEN r.status IN ('DELIVERED', 'READ') THEN COALESCE(m.delivered_at, r.reported_at) END AS "deliveredAt",
          (r.status IN ('DELIVERED', 'FAILED')
           OR r.status = 'READ'
              AND m.delivered_at = r.reported_at
              -- looked up only when the times are equal, which they also are when a gateway reports both for one second
              AND NOT EXISTS (SELECT FROM message_event e WHERE e.id = ANY(m.moved_by) AND e.status = 'DELIVERED')
          ) AS "isFinal",
          CASE WHEN m.moved_by[1] <> r.id THEN m.moved_by[: array_position(m.moved_by, r.id) - 1] END AS earlier,
          CASE s.channel WHEN 'chatapp' THEN r.reported_at END AS "chatAt",
          s.kind, s.campaign, s.client_ref AS "clientRef",
          CASE s.kind WHEN 'template' THEN s.content->'template'->>'name' END AS "templateName",
          CASE s.kind WHEN 'template' THEN s.content->'template'->>'language' END AS language,
          CASE WHEN i.id IS NOT NULL THEN jsonb_build_object(
            'at', r.reported_at,
            'kind', i.kind,
            'content', i.content,
            'chatAccountId', i.chat_account_id,
            'userId', i.user_id,
            'replyTo', i.reply_to_submission_id || ':' || i.reply_to_n
          ) END AS inbound,
          p.status AS "pushStatus", p.webhook_id AS "webhookId", p.attempts, p.attempts_before AS "attemptsBefore",
          (extract(epoch FROM behind.until - now()) * 1000)::integer AS "behindMs";
