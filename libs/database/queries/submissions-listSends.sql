WITH candidate AS MATERIALIZED (
  SELECT *
    FROM submission
   WHERE (account_id, id) >= ($1::uuid, $2::uuid)
     AND (account_id, id) < ($1::uuid, $3::uuid)
   ORDER BY account_id DESC, id DESC
   LIMIT $10::integer
), matching AS MATERIALIZED (
  SELECT s.id, cardinality(s.recipients) AS messages
    FROM candidate s
   WHERE ($4::text IS NULL OR s.campaign = $4)
         AND ($5::text IS NULL OR s.client_ref = $5)
         AND ($6::text IS NULL OR s.sender = $6)
         AND ($7::text IS NULL OR s.channel = $7)
         AND s.accepted_at >= $8::timestamptz
         AND s.accepted_at < $9::timestamptz
   ORDER BY s.account_id DESC, s.id DESC
   LIMIT $11::integer
), page AS (
  SELECT id
    FROM (SELECT id, sum(messages) OVER (ORDER BY id DESC) - messages AS newer FROM matching) AS counted
   WHERE newer < 50000
), edge AS (
  -- where the next page begins: after this one, or after the last candidate
  SELECT CASE
           WHEN (SELECT count(*) FROM page) < (SELECT count(*) FROM matching)
             OR (SELECT count(*) FROM matching) = $11
           THEN 'page'
           WHEN (SELECT count(*) FROM candidate) = $10 THEN (SELECT min(id::text) FROM candidate)
         END AS edge
)
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
       ) AS statuses, edge.edge
  FROM edge
  LEFT JOIN (
    page
    JOIN submission s ON s.id = page.id
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
  ) ON true
 ORDER BY s.id DESC;

WITH candidate AS MATERIALIZED (
  SELECT *
    FROM submission
   WHERE (account_id, campaign, id) >= ($1::uuid, $4::text, $2::uuid)
     AND (account_id, campaign, id) < ($1::uuid, $4::text, $3::uuid)
     AND campaign IS NOT NULL
   ORDER BY account_id DESC, campaign DESC, id DESC
   LIMIT $10::integer
), matching AS MATERIALIZED (
  SELECT s.id, cardinality(s.recipients) AS messages
    FROM candidate s
   WHERE ($4::text IS NULL OR s.campaign = $4)
         AND ($5::text IS NULL OR s.client_ref = $5)
         AND ($6::text IS NULL OR s.sender = $6)
         AND ($7::text IS NULL OR s.channel = $7)
         AND s.accepted_at >= $8::timestamptz
         AND s.accepted_at < $9::timestamptz
   ORDER BY s.account_id DESC, s.campaign DESC, s.id DESC
   LIMIT $11::integer
), page AS (
  SELECT id
    FROM (SELECT id, sum(messages) OVER (ORDER BY id DESC) - messages AS newer FROM matching) AS counted
   WHERE newer < 50000
), edge AS (
  -- where the next page begins: after this one, or after the last candidate
  SELECT CASE
           WHEN (SELECT count(*) FROM page) < (SELECT count(*) FROM matching)
             OR (SELECT count(*) FROM matching) = $11
           THEN 'page'
           WHEN (SELECT count(*) FROM candidate) = $10 THEN (SELECT min(id::text) FROM candidate)
         END AS edge
)
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
       ) AS statuses, edge.edge
  FROM edge
  LEFT JOIN (
    page
    JOIN submission s ON s.id = page.id
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
  ) ON true
 ORDER BY s.id DESC;

WITH candidate AS MATERIALIZED (
  SELECT *
    FROM submission
   WHERE (account_id, client_ref, id) >= ($1::uuid, $5::text, $2::uuid)
     AND (account_id, client_ref, id) < ($1::uuid, $5::text, $3::uuid)
     AND client_ref IS NOT NULL
   ORDER BY account_id DESC, client_ref DESC, id DESC
   LIMIT $10::integer
), matching AS MATERIALIZED (
  SELECT s.id, cardinality(s.recipients) AS messages
    FROM candidate s
   WHERE ($4::text IS NULL OR s.campaign = $4)
         AND ($5::text IS NULL OR s.client_ref = $5)
         AND ($6::text IS NULL OR s.sender = $6)
         AND ($7::text IS NULL OR s.channel = $7)
         AND s.accepted_at >= $8::timestamptz
         AND s.accepted_at < $9::timestamptz
   ORDER BY s.account_id DESC, s.client_ref DESC, s.id DESC
   LIMIT $11::integer
), page AS (
  SELECT id
    FROM (SELECT id, sum(messages) OVER (ORDER BY id DESC) - messages AS newer FROM matching) AS counted
   WHERE newer < 50000
), edge AS (
  -- where the next page begins: after this one, or after the last candidate
  SELECT CASE
           WHEN (SELECT count(*) FROM page) < (SELECT count(*) FROM matching)
             OR (SELECT count(*) FROM matching) = $11
           THEN 'page'
           WHEN (SELECT count(*) FROM candidate) = $10 THEN (SELECT min(id::text) FROM candidate)
         END AS edge
)
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
       ) AS statuses, edge.edge
  FROM edge
  LEFT JOIN (
    page
    JOIN submission s ON s.id = page.id
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
  ) ON true
 ORDER BY s.id DESC;
