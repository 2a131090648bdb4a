SELECT set_config('enable_hashjoin', 'on', true),
set_config('enable_mergejoin', 'on', true),
set_config('enable_nestloop', 'off', true),
set_config('enable_sort', 'off', true),
set_config('work_mem', '32MB', true),
set_config('jit', 'off', true);

SELECT LEAST(
(SELECT id
  FROM submission
 WHERE id > $1::uuid
   AND id < $2::uuid
 ORDER BY id
OFFSET 10000
 LIMIT 1),
(SELECT submission_id
  FROM message
 WHERE submission_id > $1::uuid
   AND submission_id < $2::uuid
 ORDER BY submission_id
OFFSET 10000
 LIMIT 1),
(SELECT id
  FROM message_event
 WHERE id > $1::uuid
   AND id < $2::uuid
 ORDER BY id
OFFSET 10000
 LIMIT 1)
) AS "nextId";

WITH accepted AS MATERIALIZED (
  SELECT account_id, channel, sender,
         sum(cardinality(recipients)) AS messages,
         sum(CASE
               WHEN credits_each IS NULL THEN credits * cardinality(recipients)
               ELSE (SELECT sum(each) FROM unnest(credits_each) AS each)
             END) AS credits
    FROM submission
   WHERE id >= $2::uuid
     AND id < $3::uuid
   GROUP BY account_id, channel, sender
), fanned AS MATERIALIZED (
  SELECT m.submission_id, m.n, s.account_id, s.channel, s.sender, GREATEST(s.accepted_at, s.send_at) AS due_at,
         m.gateway, m.credits, CASE WHEN m.gateway <> '' THEN m.sent_at END AS sent_at,
         m.failed_at, m.delivered_at, m.moved_by
    FROM submission s
    JOIN message m ON m.submission_id = s.id
   WHERE s.id >= $2::uuid
     AND s.id < $3::uuid
     AND m.submission_id >= $2::uuid
     AND m.submission_id < $3::uuid
), submitted AS MATERIALIZED (
  SELECT account_id, channel, COALESCE(gateway, '') AS gateway, sender,
         count(*) FILTER (WHERE sent_at IS NOT NULL) AS messages,
         sum(credits) FILTER (WHERE sent_at IS NOT NULL) AS credits,
         count(*) FILTER (WHERE sent_at IS NOT NULL OR failed_at IS NOT NULL) AS settled
    FROM fanned
   GROUP BY account_id, channel, COALESCE(gateway, ''), sender
), moved AS MATERIALIZED (
  SELECT account_id, channel, gateway, sender, status, is_delivery,
         CASE status WHEN 'FAILED' THEN err_code ELSE '' END AS err_code,
         CASE WHEN is_delivery THEN width_bucket(
           delivered_at - due_at,
           '{0.25 s, 0.5 s, 1 s, 1.5 s, 2 s, 3 s, 4 s, 5 s, 7 s, 10 s,
             15 s, 20 s, 30 s, 45 s, 60 s, 90 s, 120 s, 180 s, 300 s, 600 s,
             1200 s, 1800 s, 3600 s, 7200 s, 14400 s, 28800 s, 86400 s, 172800 s}'::interval[]
         ) ELSE 0 END AS latency,
         count(*) AS messages, sum(credits) AS credits
    FROM (
      SELECT r.status, r.err_code, m.account_id, COALESCE(m.gateway, r.gateway) AS gateway, m.credits, m.delivered_at,
             m.channel, m.sender, m.due_at,
             CASE r.status
               WHEN 'DELIVERED' THEN true
               WHEN 'READ' THEN m.delivered_at = r.reported_at AND NOT EXISTS (
                 SELECT
                   FROM message_event d
                  WHERE d.id = ANY(m.moved_by)
                    AND d.status = 'DELIVERED'
               )
               ELSE false
             END AS is_delivery
        FROM message_event r
        JOIN fanned m ON m.submission_id = r.submission_id AND m.n = r.n
       WHERE r.id >= $2::uuid AND r.id < $3::uuid AND r.status IN ('DELIVERED', 'READ', 'FAILED')
         AND r.submission_id >= $2::uuid AND r.submission_id < $3::uuid
         AND r.id = ANY(m.moved_by)
      UNION ALL
      SELECT r.status, r.err_code, m.account_id, COALESCE(m.gateway, r.gateway), m.credits, m.delivered_at,
             s.channel, s.sender, GREATEST(s.accepted_at, s.send_at),
             CASE r.status
               WHEN 'DELIVERED' THEN true
               WHEN 'READ' THEN m.delivered_at = r.reported_at AND NOT EXISTS (
                 SELECT
                   FROM message_event d
                  WHERE d.id = ANY(m.moved_by)
                    AND d.status = 'DELIVERED'
               )
               ELSE false
             END
        FROM message_event r
       CROSS JOIN LATERAL (
         SELECT account_id, gateway, credits, moved_by, delivered_at
           FROM message
          WHERE submission_id = r.submission_id
            AND n = r.n
         OFFSET 0 -- by the key, whatever the statistics of the planner say
       ) AS m
       CROSS JOIN LATERAL (
         SELECT channel, sender, accepted_at, send_at
           FROM submission
          WHERE id = r.submission_id
         OFFSET 0
       ) AS s
       WHERE r.id >= $2::uuid AND r.id < $3::uuid AND r.status IN ('DELIVERED', 'READ', 'FAILED')
         AND NOT (r.submission_id >= $2::uuid AND r.submission_id < $3::uuid)
         AND r.id = ANY(m.moved_by)
    ) AS matched
   GROUP BY account_id, channel, gateway, sender, status, is_delivery, 7, 8
), found AS (
  SELECT account_id, channel, '' AS gateway, sender, 'accepted' AS outcome, '' AS err_code, 0 AS latency,
         messages, credits
    FROM accepted
  UNION ALL
  SELECT account_id, channel, gateway, sender, 'submitted', '', 0, messages, credits
    FROM submitted
   WHERE messages > 0
  UNION ALL
  SELECT account_id, channel, gateway, sender, 'delivered', '', latency, messages, credits
    FROM moved
   WHERE is_delivery
  UNION ALL
  SELECT account_id, channel, gateway, sender, lower(status), err_code, 0, messages, credits
    FROM moved
   WHERE status <> 'DELIVERED'
), kept AS (
  INSERT INTO message_stat_found AS stat (
    minute, account_id, channel, gateway, sender, outcome, err_code, latency, messages, credits
  )
  SELECT $1::timestamptz, account_id, channel, gateway, sender, outcome, err_code, latency, sum(messages), sum(credits)
    FROM found
   GROUP BY account_id, channel, gateway, sender, outcome, err_code, latency
   ORDER BY account_id, channel, gateway, sender, outcome, err_code, latency
  ON CONFLICT (minute, account_id, channel, gateway, sender, outcome, err_code, latency) DO UPDATE
     SET messages = stat.messages + excluded.messages,
         credits = stat.credits + excluded.credits
)
SELECT (SELECT COALESCE(sum(messages), 0) FROM accepted)
         - (SELECT COALESCE(sum(settled), 0) FROM submitted)
         + (SELECT count(*)
              FROM message_event r
             WHERE r.id >= $2::uuid AND r.id < $3::uuid AND r.status IN ('DELIVERED', 'READ', 'FAILED')
               AND r.settled_at IS NULL) AS open;

WITH found AS (
  DELETE FROM message_stat_found
   WHERE minute = $1::timestamptz
  RETURNING account_id, channel, gateway, sender, outcome, err_code, latency, messages, credits
), sender_rank AS (
  SELECT account_id, sender,
         row_number() OVER (PARTITION BY account_id ORDER BY sum(messages) DESC, sender) AS place
    FROM found
   GROUP BY account_id, sender
), difference AS MATERIALIZED (
  SELECT account_id, channel, gateway, sender, outcome, err_code, latency,
         sum(messages) AS messages, sum(credits) AS credits
    FROM (
      SELECT f.account_id, f.channel, f.gateway,
             CASE WHEN sr.place <= 100 THEN f.sender ELSE '' END AS sender,
             f.outcome, f.err_code, f.latency, f.messages, f.credits
        FROM found f
        JOIN sender_rank sr ON sr.account_id = f.account_id AND sr.sender = f.sender
      UNION ALL
      SELECT account_id, channel, gateway, sender, outcome, err_code, latency, -messages, -credits
        FROM message_stat_minute
       WHERE at = $1::timestamptz
    ) AS both_sides
   GROUP BY account_id, channel, gateway, sender, outcome, err_code, latency
  HAVING sum(messages) <> 0
      OR sum(credits) <> 0
), minute_added AS (
  INSERT INTO message_stat_minute AS stat (
    at, account_id, channel, gateway, sender, outcome, err_code, latency, messages, credits
  )
  SELECT $1::timestamptz,
         account_id, channel, gateway, sender, outcome, err_code, latency, messages, credits
    FROM difference
   ORDER BY account_id, channel, gateway, sender, outcome, err_code, latency
  ON CONFLICT (at, account_id, channel, gateway, sender, outcome, err_code, latency) DO UPDATE
     SET messages = stat.messages + excluded.messages,
         credits = stat.credits + excluded.credits
), quarter_added AS (
  INSERT INTO message_stat_quarter AS stat (
    at, account_id, channel, gateway, sender, outcome, err_code, latency, messages, credits
  )
  SELECT date_bin('15 minutes', $1::timestamptz, '2000-01-01Z'),
         account_id, channel, gateway, sender, outcome, err_code, latency, messages, credits
    FROM difference
   ORDER BY account_id, channel, gateway, sender, outcome, err_code, latency
  ON CONFLICT (at, account_id, channel, gateway, sender, outcome, err_code, latency) DO UPDATE
     SET messages = stat.messages + excluded.messages,
         credits = stat.credits + excluded.credits
)
INSERT INTO message_stat_day AS stat (
  at, account_id, channel, gateway, sender, outcome, err_code, latency, messages, credits
)
SELECT date_trunc('day', $1::timestamptz, 'UTC'),
       account_id, channel, gateway, sender, outcome, err_code, latency, messages, credits
  FROM difference
 ORDER BY account_id, channel, gateway, sender, outcome, err_code, latency
ON CONFLICT (at, account_id, channel, gateway, sender, outcome, err_code, latency) DO UPDATE
   SET messages = stat.messages + excluded.messages,
       credits = stat.credits + excluded.credits;
