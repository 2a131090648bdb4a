SELECT r.id AS "reportId", r.submission_id AS "submissionId", r.n,
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
       COALESCE((CASE r.status
                   WHEN 'SENT' THEN m.status IN ('PENDING')
                   WHEN 'FAILED' THEN m.status IN ('PENDING', 'SENT')
                   WHEN 'DELIVERED' THEN m.status IN ('PENDING', 'SENT', 'FAILED')
                   WHEN 'READ' THEN m.status IN ('PENDING', 'SENT', 'FAILED', 'DELIVERED')
                 END
                 OR r.status = 'SENT' AND m.status = 'SENT' AND m.moved_by IS NULL), false) AS "mayMove",
       (COALESCE(r.id = ANY(m.moved_by), false) OR r.status = ANY($2::text[])) AS "needsPush",
       CASE WHEN (s.channel = 'chatapp' AND r.received_at > now() - interval '5 seconds')
            THEN (extract(epoch FROM now() - r.received_at) * 1000)::integer
       END AS "earlyForMs"
  FROM message_event r
  LEFT JOIN message m ON m.submission_id = r.submission_id AND m.n = r.n
  LEFT JOIN submission s ON s.id = r.submission_id
  LEFT JOIN inbound_message i ON i.id = CASE r.status WHEN 'RECEIVED' THEN r.submission_id END
 WHERE r.id = ANY($1::uuid[])
   AND r.settled_at IS NULL;
