SELECT s.id AS "submissionId", c.n, c.recipient, s.sender, s.channel, s.kind, s.lane,
       CASE WHEN s.kind = 'template' THEN s.content #>> '{template,name}' END AS "templateName",
       COALESCE(m.credits, s.credits_each[c.n], s.credits) AS credits, s.campaign, s.client_ref AS "clientRef",
       CASE
         WHEN m.n IS NULL
              AND s.cancelled_at IS NOT NULL
              AND s.fanned_out_at IS NOT NULL
         THEN 'FAILED'
         ELSE COALESCE(CASE WHEN m.unconfirmed_at IS NULL THEN m.status END, 'PENDING')
       END AS status,
       m.unconfirmed_at IS NOT NULL AS unconfirmed, NULLIF(m.gateway, '') AS gateway,
       CASE
         WHEN m.n IS NULL
              AND s.cancelled_at IS NOT NULL
              AND s.fanned_out_at IS NOT NULL
         THEN '902'
         ELSE m.err_code
       END AS "errCode",
       CASE
         WHEN m.n IS NULL
              AND s.cancelled_at IS NOT NULL
              AND s.fanned_out_at IS NOT NULL
         THEN 'Cancelled before it was submitted'
         ELSE m.status_description
       END AS "statusDescription",
       m.operator_circle AS "operatorCircle",
       COALESCE(m.starts, 0) AS starts, s.accepted_at AS "acceptedAt",
       CASE WHEN m.gateway <> '' THEN m.sent_at END AS "sentAt", m.delivered_at AS "deliveredAt",
       CASE WHEN s.content ? 'links' THEN LEAST(
         (SELECT COALESCE(sum(lt.clicks), 0)
            FROM short_link_total lt
           WHERE lt.submission_id = s.id AND lt.n = c.n AND lt.kind = 'person')
         + (SELECT count(*)
              FROM short_link_click lc
             WHERE lc.submission_id = s.id AND lc.n = c.n AND lc.kind = 'person'),
         2147483647
       )::integer END AS clicks,
       s.send_at AS "sendAt", s.expires_at AS "expiresAt",
       COALESCE(
         m.held_until,
         CASE WHEN s.channel = 'chatapp' AND s.fanned_out_at IS NULL THEN s.held_until END
       ) AS "heldUntil",
       CASE WHEN s.kind = 'template' THEN s.content #>> '{template,language}' END AS language,
       CASE WHEN s.kind = 'template' THEN s.content #>> '{template,category}' END AS category,
       cp.last_inbound_at AS "lastInboundAt", COALESCE(m.moved_by, '{}') AS "movedBy",
       m.throttled_at AS "throttledAt",
       COALESCE(a.paused_at IS NOT NULL, false) AS "isAccountPaused",
       m.n IS NOT NULL AS "isFannedOut",
       s.waits AND s.due_at = 'infinity' AS "isSetAside",
       s.rate_per_second IS NOT NULL OR s.channel = 'sms' AND a.sms_per_second IS NOT NULL AS "isPaced"
  FROM submission s
  LEFT JOIN account a ON a.id = s.account_id
 CROSS JOIN LATERAL (SELECT $3::integer AS n, s.recipients[$3::integer] AS recipient) AS c
  LEFT JOIN message m ON m.submission_id = s.id AND m.n = c.n
  LEFT JOIN chat_pair cp
    ON s.channel = 'chatapp'
   AND cp.account_id = s.account_id
   AND cp.sender = s.sender
   AND cp.recipient = c.recipient
 WHERE s.id = $2
   AND s.account_id = $1
   AND c.n <= cardinality(s.recipients)
   AND (m.n IS NOT NULL OR c.n > s.fanned_upto);
