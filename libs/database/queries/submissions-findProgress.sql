SELECT s.id, s.channel, s.kind, s.lane, s.sender,
       CASE WHEN s.kind = 'template' THEN s.content #>> '{template,name}' END AS "templateName",
       s.campaign, s.client_ref AS "clientRef",
       s.accepted_at AS "acceptedAt", s.send_at AS "sendAt", s.expires_at AS "expiresAt",
       s.rate_per_second AS "ratePerSecond", s.cancelled_at AS "cancelledAt",
       rest + m.messages AS total,
       CASE WHEN s.cancelled_at IS NULL THEN m.held ELSE 0 END AS held,
       CASE WHEN s.cancelled_at IS NULL THEN m.held_until END AS "heldUntil",
       m.cancelled + CASE WHEN s.cancelled_at IS NULL THEN 0 ELSE m.waiting + rest END AS cancelled,
       json_build_object(
         'PENDING', m.pending + CASE WHEN s.cancelled_at IS NULL THEN rest ELSE -m.waiting END,
         'SENT', m.sent,
         'DELIVERED', m.delivered,
         'READ', m.read,
         'FAILED', m.failed + CASE WHEN s.cancelled_at IS NULL THEN 0 ELSE m.waiting + rest END
       ) AS statuses
  FROM submission s
 CROSS JOIN LATERAL (SELECT cardinality(s.recipients) - s.fanned_upto AS rest) AS unfanned
 CROSS JOIN LATERAL (
   SELECT count(*)::integer AS messages,
          count(*) FILTER (WHERE status = 'PENDING' OR unconfirmed_at IS NOT NULL)::integer AS pending,
          count(*) FILTER (WHERE status = 'SENT' AND unconfirmed_at IS NULL)::integer AS sent,
          count(*) FILTER (WHERE status = 'DELIVERED')::integer AS delivered,
          count(*) FILTER (WHERE status = 'READ')::integer AS read,
          count(*) FILTER (WHERE status = 'FAILED')::integer AS failed,
          count(*) FILTER (WHERE status = 'FAILED' AND err_code = '902')::integer AS cancelled,
          count(*) FILTER (
            WHERE status = 'PENDING'
                  AND (held_until IS NOT NULL OR claimed_until <= now())
                  AND starts < 10 -- a parked one stays
          )::integer AS waiting,
          count(*) FILTER (WHERE held_until IS NOT NULL)::integer AS held,
          min(held_until) AS held_until
     FROM message
    WHERE submission_id = s.id
 ) AS m
 WHERE s.id = $2
   AND s.account_id = $1
   AND ($3::text IS NULL OR s.channel = $3);
