WITH candidate AS MATERIALIZED (
  SELECT *
    FROM (
      SELECT s.id AS submission_id, COALESCE(u.n, 0) AS n, u.recipient
        FROM (
          SELECT s.*,
                 -- only of those that match: counting recipients reads all of them
                 CASE
                   WHEN (($9::text IS NULL OR s.campaign = $9)
                         AND ($10::text IS NULL OR s.client_ref = $10)
                         AND ($11::text IS NULL OR s.sender = $11)
                         AND s.accepted_at >= $12::timestamptz
                         AND s.accepted_at < $13::timestamptz
                         AND ($14::text IS NULL OR s.channel = $14)) IS NOT TRUE THEN NULL
                   WHEN id = $3 THEN LEAST($4::integer - 1, cardinality(recipients))
                   ELSE cardinality(recipients)
                 END AS top
            FROM submission s
           WHERE (account_id, id) BETWEEN ($1::uuid, $2::uuid)
                              AND ($1::uuid, $3::uuid)
           ORDER BY account_id DESC, id DESC
           LIMIT $5::integer
        ) AS s
        LEFT JOIN LATERAL (
          SELECT GREATEST(0, s.top - $5::integer) + below.position::integer AS n, below.recipient
            FROM unnest(s.recipients[GREATEST(0, s.top - $5::integer) + 1 : s.top])
                 WITH ORDINALITY AS below(recipient, position)
           WHERE s.top IS NOT NULL
        ) AS u ON true
       -- by the columns of the index, so that the sort is incremental and reads no submission beyond the page
       ORDER BY s.account_id DESC, s.id DESC, n DESC
       LIMIT $5
    ) AS walked
   -- an order that the planner knows, so that a full page reads no further message
   ORDER BY submission_id DESC, n DESC
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
    LEFT JOIN LATERAL (
      SELECT *
        FROM message
       WHERE submission_id = c.submission_id
         AND n = c.n
      OFFSET 0 -- by the key: with a filter the planner may read all messages of a large send for each
    ) AS m ON true
   WHERE c.n > 0
     AND s.account_id = $1
     AND (m.n IS NOT NULL OR c.n > s.fanned_upto)
     AND ($7::text IS NULL OR c.recipient = $7)
     AND ($8::text[] IS NULL OR CASE
                                  WHEN m.n IS NULL
                                       AND s.cancelled_at IS NOT NULL
                                       AND s.fanned_out_at IS NOT NULL
                                  THEN 'FAILED'
                                  ELSE COALESCE(CASE WHEN m.unconfirmed_at IS NULL THEN m.status END, 'PENDING')
                                END = ANY($8))
     AND ($15::text IS NULL OR CASE
                                 WHEN m.n IS NULL
                                      AND s.cancelled_at IS NOT NULL
                                      AND s.fanned_out_at IS NOT NULL
                                 THEN '902'
                                 ELSE m.err_code
                               END = $15)
     AND ($16::text IS NULL OR m.gateway = $16)
     AND ($9::text IS NULL OR s.campaign = $9)
         AND ($10::text IS NULL OR s.client_ref = $10)
         AND ($11::text IS NULL OR s.sender = $11)
         AND s.accepted_at >= $12::timestamptz
         AND s.accepted_at < $13::timestamptz
         AND ($14::text IS NULL OR s.channel = $14)
   ORDER BY c.submission_id DESC, c.n DESC
   LIMIT $6::integer
), edge AS (
  SELECT submission_id AS "edgeId", n AS "edgeN"
    FROM candidate
   ORDER BY submission_id DESC, n DESC
  OFFSET $5 - 1
)
SELECT page.*, edge.*
  FROM (VALUES (1)) AS one
  LEFT JOIN edge ON true
  LEFT JOIN page ON true
 ORDER BY page."submissionId" DESC, page.n DESC;

WITH candidate AS MATERIALIZED (
  SELECT *
    FROM (
      SELECT s.id AS submission_id, COALESCE(u.n, 0) AS n, u.recipient
        FROM (
          SELECT s.*,
                 -- only of those that match: counting recipients reads all of them
                 CASE
                   WHEN (($9::text IS NULL OR s.campaign = $9)
                         AND ($10::text IS NULL OR s.client_ref = $10)
                         AND ($11::text IS NULL OR s.sender = $11)
                         AND s.accepted_at >= $12::timestamptz
                         AND s.accepted_at < $13::timestamptz
                         AND ($14::text IS NULL OR s.channel = $14)) IS NOT TRUE THEN NULL
                   WHEN id = $3 THEN LEAST($4::integer - 1, cardinality(recipients))
                   ELSE cardinality(recipients)
                 END AS top
            FROM submission s
           WHERE (account_id, campaign, id) BETWEEN ($1::uuid, $9::text, $2::uuid)
                              AND ($1::uuid, $9::text, $3::uuid) AND campaign IS NOT NULL
           ORDER BY account_id DESC, campaign DESC, id DESC
           LIMIT $5::integer
        ) AS s
        LEFT JOIN LATERAL (
          SELECT GREATEST(0, s.top - $5::integer) + below.position::integer AS n, below.recipient
            FROM unnest(s.recipients[GREATEST(0, s.top - $5::integer) + 1 : s.top])
                 WITH ORDINALITY AS below(recipient, position)
           WHERE s.top IS NOT NULL
        ) AS u ON true
       -- by the columns of the index, so that the sort is incremental and reads no submission beyond the page
       ORDER BY s.account_id DESC, s.campaign DESC, s.id DESC, n DESC
       LIMIT $5
    ) AS walked
   -- an order that the planner knows, so that a full page reads no further message
   ORDER BY submission_id DESC, n DESC
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
    LEFT JOIN LATERAL (
      SELECT *
        FROM message
       WHERE submission_id = c.submission_id
         AND n = c.n
      OFFSET 0 -- by the key: with a filter the planner may read all messages of a large send for each
    ) AS m ON true
   WHERE c.n > 0
     AND s.account_id = $1
     AND (m.n IS NOT NULL OR c.n > s.fanned_upto)
     AND ($7::text IS NULL OR c.recipient = $7)
     AND ($8::text[] IS NULL OR CASE
                                  WHEN m.n IS NULL
                                       AND s.cancelled_at IS NOT NULL
                                       AND s.fanned_out_at IS NOT NULL
                                  THEN 'FAILED'
                                  ELSE COALESCE(CASE WHEN m.unconfirmed_at IS NULL THEN m.status END, 'PENDING')
                                END = ANY($8))
     AND ($15::text IS NULL OR CASE
                                 WHEN m.n IS NULL
                                      AND s.cancelled_at IS NOT NULL
                                      AND s.fanned_out_at IS NOT NULL
                                 THEN '902'
                                 ELSE m.err_code
                               END = $15)
     AND ($16::text IS NULL OR m.gateway = $16)
     AND ($9::text IS NULL OR s.campaign = $9)
         AND ($10::text IS NULL OR s.client_ref = $10)
         AND ($11::text IS NULL OR s.sender = $11)
         AND s.accepted_at >= $12::timestamptz
         AND s.accepted_at < $13::timestamptz
         AND ($14::text IS NULL OR s.channel = $14)
   ORDER BY c.submission_id DESC, c.n DESC
   LIMIT $6::integer
), edge AS (
  SELECT submission_id AS "edgeId", n AS "edgeN"
    FROM candidate
   ORDER BY submission_id DESC, n DESC
  OFFSET $5 - 1
)
SELECT page.*, edge.*
  FROM (VALUES (1)) AS one
  LEFT JOIN edge ON true
  LEFT JOIN page ON true
 ORDER BY page."submissionId" DESC, page.n DESC;

WITH candidate AS MATERIALIZED (
  SELECT *
    FROM (
      SELECT s.id AS submission_id, COALESCE(u.n, 0) AS n, u.recipient
        FROM (
          SELECT s.*,
                 -- only of those that match: counting recipients reads all of them
                 CASE
                   WHEN (($9::text IS NULL OR s.campaign = $9)
                         AND ($10::text IS NULL OR s.client_ref = $10)
                         AND ($11::text IS NULL OR s.sender = $11)
                         AND s.accepted_at >= $12::timestamptz
                         AND s.accepted_at < $13::timestamptz
                         AND ($14::text IS NULL OR s.channel = $14)) IS NOT TRUE THEN NULL
                   WHEN id = $3 THEN LEAST($4::integer - 1, cardinality(recipients))
                   ELSE cardinality(recipients)
                 END AS top
            FROM submission s
           WHERE (account_id, client_ref, id) BETWEEN ($1::uuid, $10::text, $2::uuid)
                              AND ($1::uuid, $10::text, $3::uuid) AND client_ref IS NOT NULL
           ORDER BY account_id DESC, client_ref DESC, id DESC
           LIMIT $5::integer
        ) AS s
        LEFT JOIN LATERAL (
          SELECT GREATEST(0, s.top - $5::integer) + below.position::integer AS n, below.recipient
            FROM unnest(s.recipients[GREATEST(0, s.top - $5::integer) + 1 : s.top])
                 WITH ORDINALITY AS below(recipient, position)
           WHERE s.top IS NOT NULL
        ) AS u ON true
       -- by the columns of the index, so that the sort is incremental and reads no submission beyond the page
       ORDER BY s.account_id DESC, s.client_ref DESC, s.id DESC, n DESC
       LIMIT $5
    ) AS walked
   -- an order that the planner knows, so that a full page reads no further message
   ORDER BY submission_id DESC, n DESC
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
    LEFT JOIN LATERAL (
      SELECT *
        FROM message
       WHERE submission_id = c.submission_id
         AND n = c.n
      OFFSET 0 -- by the key: with a filter the planner may read all messages of a large send for each
    ) AS m ON true
   WHERE c.n > 0
     AND s.account_id = $1
     AND (m.n IS NOT NULL OR c.n > s.fanned_upto)
     AND ($7::text IS NULL OR c.recipient = $7)
     AND ($8::text[] IS NULL OR CASE
                                  WHEN m.n IS NULL
                                       AND s.cancelled_at IS NOT NULL
                                       AND s.fanned_out_at IS NOT NULL
                                  THEN 'FAILED'
                                  ELSE COALESCE(CASE WHEN m.unconfirmed_at IS NULL THEN m.status END, 'PENDING')
                                END = ANY($8))
     AND ($15::text IS NULL OR CASE
                                 WHEN m.n IS NULL
                                      AND s.cancelled_at IS NOT NULL
                                      AND s.fanned_out_at IS NOT NULL
                                 THEN '902'
                                 ELSE m.err_code
                               END = $15)
     AND ($16::text IS NULL OR m.gateway = $16)
     AND ($9::text IS NULL OR s.campaign = $9)
         AND ($10::text IS NULL OR s.client_ref = $10)
         AND ($11::text IS NULL OR s.sender = $11)
         AND s.accepted_at >= $12::timestamptz
         AND s.accepted_at < $13::timestamptz
         AND ($14::text IS NULL OR s.channel = $14)
   ORDER BY c.submission_id DESC, c.n DESC
   LIMIT $6::integer
), edge AS (
  SELECT submission_id AS "edgeId", n AS "edgeN"
    FROM candidate
   ORDER BY submission_id DESC, n DESC
  OFFSET $5 - 1
)
SELECT page.*, edge.*
  FROM (VALUES (1)) AS one
  LEFT JOIN edge ON true
  LEFT JOIN page ON true
 ORDER BY page."submissionId" DESC, page.n DESC;

WITH candidate AS MATERIALIZED (
  SELECT *
    FROM (
      (SELECT submission_id, n, recipient
         FROM message
        WHERE failed_at IS NOT NULL
          AND (account_id, submission_id) >= ($1::uuid, $2::uuid)
          AND (account_id, submission_id, n) < ($1::uuid, $3::uuid, $4::integer)
        ORDER BY account_id DESC, submission_id DESC, n DESC
        LIMIT $5)
      UNION ALL
      (SELECT discarded.submission_id, COALESCE(u.n, 0) AS n, u.recipient
         FROM (
           SELECT account_id, submission_id
             FROM discarded_send
            WHERE (account_id, submission_id) BETWEEN ($1::uuid, $2::uuid) AND ($1::uuid, $3::uuid)
            ORDER BY account_id DESC, submission_id DESC
            LIMIT $5
         ) AS discarded
         LEFT JOIN LATERAL (
           SELECT listed.n, listed.recipient
             FROM submission s
            CROSS JOIN unnest(s.recipients) WITH ORDINALITY AS listed(recipient, n)
            WHERE s.id = discarded.submission_id
              AND listed.n > s.fanned_upto
              AND (s.id, listed.n) < ($3::uuid, $4::integer)
         ) AS u ON true
        ORDER BY discarded.account_id DESC, discarded.submission_id DESC, n DESC
        LIMIT $5)
      ORDER BY submission_id DESC, n DESC
      LIMIT $5
    ) AS walked
   -- an order that the planner knows, so that a full page reads no further message
   ORDER BY submission_id DESC, n DESC
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
    LEFT JOIN LATERAL (
      SELECT *
        FROM message
       WHERE submission_id = c.submission_id
         AND n = c.n
      OFFSET 0 -- by the key: with a filter the planner may read all messages of a large send for each
    ) AS m ON true
   WHERE c.n > 0
     AND s.account_id = $1
     AND (m.n IS NOT NULL OR c.n > s.fanned_upto)
     AND ($7::text IS NULL OR c.recipient = $7)
     AND ($8::text[] IS NULL OR CASE
                                  WHEN m.n IS NULL
                                       AND s.cancelled_at IS NOT NULL
                                       AND s.fanned_out_at IS NOT NULL
                                  THEN 'FAILED'
                                  ELSE COALESCE(CASE WHEN m.unconfirmed_at IS NULL THEN m.status END, 'PENDING')
                                END = ANY($8))
     AND ($15::text IS NULL OR CASE
                                 WHEN m.n IS NULL
                                      AND s.cancelled_at IS NOT NULL
                                      AND s.fanned_out_at IS NOT NULL
                                 THEN '902'
                                 ELSE m.err_code
                               END = $15)
     AND ($16::text IS NULL OR m.gateway = $16)
     AND ($9::text IS NULL OR s.campaign = $9)
         AND ($10::text IS NULL OR s.client_ref = $10)
         AND ($11::text IS NULL OR s.sender = $11)
         AND s.accepted_at >= $12::timestamptz
         AND s.accepted_at < $13::timestamptz
         AND ($14::text IS NULL OR s.channel = $14)
   ORDER BY c.submission_id DESC, c.n DESC
   LIMIT $6::integer
), edge AS (
  SELECT submission_id AS "edgeId", n AS "edgeN"
    FROM candidate
   ORDER BY submission_id DESC, n DESC
  OFFSET $5 - 1
)
SELECT page.*, edge.*
  FROM (VALUES (1)) AS one
  LEFT JOIN edge ON true
  LEFT JOIN page ON true
 ORDER BY page."submissionId" DESC, page.n DESC;

WITH candidate AS MATERIALIZED (
  SELECT *
    FROM (
      (SELECT submission_id, n, recipient
         FROM message
        WHERE account_id = $1
          AND recipient COLLATE "C" = $7
          AND submission_id >= $2::uuid
          AND (submission_id, n) < ($3::uuid, $4::integer)
        ORDER BY ((uuid_extract_timestamp(submission_id) AT TIME ZONE 'UTC')::date) DESC, submission_id DESC, n DESC
        LIMIT $5)
      UNION ALL
      (SELECT s.id, COALESCE(u.n, 0) AS n, $7
         FROM (
           SELECT s.*
             FROM (
               (SELECT id
                  FROM submission
                 WHERE account_id = $1
                   AND waits
                   AND (CASE WHEN cardinality(recipients) = 1 THEN recipients[1] ELSE '' END COLLATE "C") = $7
                   AND id BETWEEN $2::uuid AND $3::uuid
                 ORDER BY id DESC
                 LIMIT $5)
               UNION ALL
               (SELECT id
                  FROM submission
                 WHERE account_id = $1
                   AND waits
                   AND (CASE WHEN cardinality(recipients) = 1 THEN recipients[1] ELSE '' END COLLATE "C") = ''
                   AND id BETWEEN $2::uuid AND $3::uuid
                 ORDER BY id DESC
                 LIMIT $5)
               UNION ALL
               SELECT ready.id
                 FROM unnest(ARRAY['OTP', 'TRANS', 'PROMO']) AS u(lane)
                CROSS JOIN LATERAL (
                  SELECT id
                    FROM ready_sms
                   WHERE lane = u.lane
                     AND account_id = $1
                     AND id BETWEEN $2::uuid AND $3::uuid
                   ORDER BY id DESC
                   LIMIT $5
                ) AS ready
               UNION ALL
               (SELECT id
                  FROM (
                    SELECT id, fanned_out_at, waits
                      FROM submission
                     WHERE (account_id, id) >= ($1::uuid, $2::uuid)
                       AND (account_id, id) <= ($1::uuid, $3::uuid)
                       AND id >= (SELECT id FROM ready_batch ORDER BY id LIMIT 1)
                     ORDER BY account_id DESC, id DESC
                     LIMIT 10000
                  ) AS newest
                 WHERE fanned_out_at IS NULL
                   AND NOT waits
                 LIMIT $5)
               -- once each: a submission that waits may have an outdated ready row
               UNION
               (SELECT id
                  FROM ready_chat
                 WHERE account_id = $1
                   AND id BETWEEN $2::uuid AND $3::uuid
                 ORDER BY id DESC
                 LIMIT $5)
             ) AS unfanned
             JOIN submission s ON s.id = unfanned.id
            WHERE s.fanned_out_at IS NULL
            ORDER BY s.id DESC
            LIMIT $5
         ) AS s
         LEFT JOIN LATERAL (
           SELECT listed.n
             FROM unnest(array_positions(s.recipients, $7::text)) AS listed(n)
            WHERE listed.n > s.fanned_upto
              AND (s.id, listed.n) < ($3::uuid, $4::integer)
         ) AS u ON true
        ORDER BY s.id DESC, n DESC
        LIMIT $5)
      ORDER BY submission_id DESC, n DESC
      LIMIT $5
    ) AS walked
   -- an order that the planner knows, so that a full page reads no further message
   ORDER BY submission_id DESC, n DESC
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
    LEFT JOIN LATERAL (
      SELECT *
        FROM message
       WHERE submission_id = c.submission_id
         AND n = c.n
      OFFSET 0 -- by the key: with a filter the planner may read all messages of a large send for each
    ) AS m ON true
   WHERE c.n > 0
     AND s.account_id = $1
     AND (m.n IS NOT NULL OR c.n > s.fanned_upto)
     AND ($7::text IS NULL OR c.recipient = $7)
     AND ($8::text[] IS NULL OR CASE
                                  WHEN m.n IS NULL
                                       AND s.cancelled_at IS NOT NULL
                                       AND s.fanned_out_at IS NOT NULL
                                  THEN 'FAILED'
                                  ELSE COALESCE(CASE WHEN m.unconfirmed_at IS NULL THEN m.status END, 'PENDING')
                                END = ANY($8))
     AND ($15::text IS NULL OR CASE
                                 WHEN m.n IS NULL
                                      AND s.cancelled_at IS NOT NULL
                                      AND s.fanned_out_at IS NOT NULL
                                 THEN '902'
                                 ELSE m.err_code
                               END = $15)
     AND ($16::text IS NULL OR m.gateway = $16)
     AND ($9::text IS NULL OR s.campaign = $9)
         AND ($10::text IS NULL OR s.client_ref = $10)
         AND ($11::text IS NULL OR s.sender = $11)
         AND s.accepted_at >= $12::timestamptz
         AND s.accepted_at < $13::timestamptz
         AND ($14::text IS NULL OR s.channel = $14)
   ORDER BY c.submission_id DESC, c.n DESC
   LIMIT $6::integer
), edge AS (
  SELECT submission_id AS "edgeId", n AS "edgeN"
    FROM candidate
   ORDER BY submission_id DESC, n DESC
  OFFSET $5 - 1
)
SELECT page.*, edge.*
  FROM (VALUES (1)) AS one
  LEFT JOIN edge ON true
  LEFT JOIN page ON true
 ORDER BY page."submissionId" DESC, page.n DESC;
