SELECT GREATEST(
(SELECT max(minute) + interval '1 minute' FROM message_stat_build),
CASE WHEN NOT EXISTS (SELECT FROM message_stat_build) THEN date_trunc('minute', LEAST(
$1::timestamptz,
GREATEST(
$1::timestamptz - interval '48 hours',
COALESCE((SELECT uuid_extract_timestamp(id) FROM submission ORDER BY id LIMIT 1), $1::timestamptz)
)
)) END
) AS start;

INSERT INTO message_stat_build (minute, due_at)
SELECT minute, minute
  FROM generate_series($1::timestamptz, $2::timestamptz, interval '1 minute') AS minute
ON CONFLICT DO NOTHING;

SELECT minute, barrier IS NOT NULL AS "hasBarrier"
  FROM message_stat_build
 WHERE due_at <= $1::timestamptz
 ORDER BY minute DESC
 LIMIT 1;

SAVEPOINT typeorm_1;

SELECT set_config('enable_hashjoin', 'on', true),
set_config('enable_nestloop', 'off', true),
set_config('work_mem', '32MB', true),
set_config('jit', 'off', true);

WITH accepted AS MATERIALIZED (
  SELECT id, account_id, channel, sender, GREATEST(accepted_at, send_at) AS due_at,
         cardinality(recipients) AS messages,
         CASE
           WHEN credits_each IS NULL THEN credits * cardinality(recipients)
           ELSE (SELECT sum(each) FROM unnest(credits_each) AS each)
         END AS credits
    FROM submission
   WHERE id >= $2::uuid
     AND id < $3::uuid
), fanned AS MATERIALIZED (
  SELECT a.account_id, a.channel, a.sender, COALESCE(m.gateway, '') AS gateway, m.credits,
         m.sent_at IS NOT NULL AS is_submitted,
         m.sent_at IS NOT NULL OR m.failed_at IS NOT NULL AS is_settled
    FROM message m
    JOIN accepted a ON a.id = m.submission_id
   WHERE m.submission_id >= $2::uuid
     AND m.submission_id < $3::uuid
), reported AS MATERIALIZED (
  SELECT id, gateway, submission_id, n, status, err_code, reported_at, settled_at IS NULL AS is_open,
         submission_id >= $2::uuid AND submission_id < $3::uuid AS is_near
    FROM message_event
   WHERE id >= $2::uuid
     AND id < $3::uuid
     AND status IN ('DELIVERED', 'READ', 'FAILED')
), matched AS MATERIALIZED (
  SELECT r.id, r.status, r.err_code, r.reported_at, m.account_id, COALESCE(m.gateway, r.gateway) AS gateway,
         m.credits, m.moved_by, m.delivered_at, a.channel, a.sender, a.due_at
    FROM reported r
    JOIN message m ON m.submission_id = r.submission_id AND m.n = r.n
    JOIN accepted a ON a.id = r.submission_id
   WHERE r.is_near
     AND m.submission_id >= $2::uuid
     AND m.submission_id < $3::uuid
     AND r.id = ANY(m.moved_by)
  UNION ALL
  SELECT r.id, r.status, r.err_code, r.reported_at, m.account_id, COALESCE(m.gateway, r.gateway),
         m.credits, m.moved_by, m.delivered_at, s.channel, s.sender, GREATEST(s.accepted_at, s.send_at)
    FROM reported r
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
   WHERE NOT r.is_near
     AND r.id = ANY(m.moved_by)
), moved AS MATERIALIZED (
  SELECT r.account_id, r.channel, r.gateway, r.sender, o.outcome,
         CASE o.outcome WHEN 'failed' THEN r.err_code ELSE '' END AS err_code,
         CASE o.outcome
           WHEN 'delivered' THEN width_bucket(
             extract(epoch FROM r.delivered_at - r.due_at),
             ARRAY[
               0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 45,
               60, 90, 120, 180, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400, 172800
             ]::numeric[]
           )
           ELSE 0
         END AS latency,
         r.credits
    FROM matched r
   CROSS JOIN LATERAL unnest(CASE
                               WHEN r.status = 'FAILED' THEN ARRAY['failed']
                               WHEN r.status = 'DELIVERED' THEN ARRAY['delivered']
                               WHEN r.delivered_at = r.reported_at
                                AND NOT EXISTS (
                                  SELECT
                                    FROM message_event d
                                   WHERE d.id = ANY(r.moved_by)
                                     AND d.status = 'DELIVERED'
                                )
                               THEN ARRAY['delivered', 'read']
                               ELSE ARRAY['read']
                             END) AS o(outcome)
), found AS MATERIALIZED (
  SELECT account_id, channel, '' AS gateway, sender, 'accepted' AS outcome, '' AS err_code, 0 AS latency,
         sum(messages) AS messages, sum(credits) AS credits
    FROM accepted
   GROUP BY account_id, channel, sender
  UNION ALL
  SELECT account_id, channel, gateway, sender, 'submitted', '', 0, count(*), sum(credits)
    FROM fanned
   WHERE is_submitted
   GROUP BY account_id, channel, gateway, sender
  UNION ALL
  SELECT account_id, channel, gateway, sender, outcome, err_code, latency, count(*), sum(credits)
    FROM moved
   GROUP BY account_id, channel, gateway, sender, outcome, err_code, latency
), sender_rank AS (
  SELECT account_id, sender,
         row_number() OVER (PARTITION BY account_id ORDER BY sum(messages) DESC, sender) AS place
    FROM found
   GROUP BY account_id, sender
), difference AS MATERIALIZED (
  -- between what the tables of messages say now and what was counted before
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
), day_added AS (
  INSERT INTO message_stat_day AS stat (
    at, account_id, channel, gateway, sender, outcome, err_code, latency, messages, credits
  )
  SELECT date_trunc('day', $1::timestamptz, 'UTC'),
         account_id, channel, gateway, sender, outcome, err_code, latency, messages, credits
    FROM difference
   ORDER BY account_id, channel, gateway, sender, outcome, err_code, latency
  ON CONFLICT (at, account_id, channel, gateway, sender, outcome, err_code, latency) DO UPDATE
     SET messages = stat.messages + excluded.messages,
         credits = stat.credits + excluded.credits
)
SELECT (SELECT COALESCE(sum(messages), 0) FROM accepted)
         - (SELECT count(*) FROM fanned WHERE is_settled)
         + (SELECT count(*) FROM reported WHERE is_open) AS open,
       COALESCE(b.barrier <= pg_snapshot_xmin(pg_current_snapshot()), false) AS "isWhole"
  FROM (VALUES (1)) AS one
  LEFT JOIN message_stat_build b ON b.minute = $1::timestamptz;

RELEASE SAVEPOINT typeorm_1;

UPDATE message_stat_build
   SET due_at = $2, built_at = COALESCE($3, built_at)
 WHERE minute = $1;
