WITH candidate AS MATERIALIZED (
  SELECT submission_id, n, recipient
    FROM message
   WHERE account_id = $1
     AND recipient COLLATE "C" = $3
     AND (submission_id, n) < ($4::uuid, $5::integer)
   ORDER BY ((uuid_extract_timestamp(submission_id) AT TIME ZONE 'UTC')::date) DESC, submission_id DESC, n DESC
   LIMIT 1000
), page AS (
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
         )::integer END AS clicks
    FROM candidate c
    JOIN submission s ON s.id = c.submission_id
    JOIN message m ON m.submission_id = c.submission_id AND m.n = c.n
   WHERE s.sender = $2
   ORDER BY c.submission_id DESC, c.n DESC
   LIMIT $6
), edge AS (
  SELECT submission_id AS "edgeId", n AS "edgeN"
    FROM candidate
   ORDER BY submission_id DESC, n DESC
  OFFSET 999
)
SELECT page.*, edge.*
  FROM (VALUES (1)) AS one
  LEFT JOIN edge ON true
  LEFT JOIN page ON true
 ORDER BY page."submissionId" DESC, page.n DESC;
