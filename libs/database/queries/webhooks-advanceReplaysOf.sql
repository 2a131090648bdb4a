WITH running AS MATERIALIZED (
  SELECT pr.*, w.deleted_at,
         GREATEST(1, ceil(
           LEAST(pr.rate_per_second, 10000) * LEAST(extract(epoch FROM now() - pr.advanced_at), 2)
         ))::integer AS step
    FROM push_replay pr
    JOIN webhook w ON w.id = pr.webhook_id
   WHERE pr.status = 'RUNNING'
     AND ('DELIVERED' = ANY(pr.statuses)) = $1
     AND pr.advanced_at <= now() - interval '300 milliseconds'
   ORDER BY pr.advanced_at, pr.id
   LIMIT 50
     FOR UPDATE OF pr SKIP LOCKED
), wanted AS MATERIALIZED (
  SELECT running.id, p.webhook_id, p.report_id
    FROM running
   CROSS JOIN LATERAL (
     SELECT webhook_id, report_id
       FROM (
              SELECT webhook_id, report_id, status
                FROM push p
               WHERE p.webhook_id = running.webhook_id
                 AND p.report_id > running.after_id
                 AND p.report_id < running.upto_id
                 AND p.report_id >= (SELECT id FROM message_event ORDER BY id LIMIT 1)
                 AND status <> 'DELIVERED'
               ORDER BY p.report_id
               LIMIT 5000
            ) AS examined
      WHERE status = ANY(running.statuses)
      ORDER BY report_id
      LIMIT running.step
   ) AS p
   WHERE running.deleted_at IS NULL
   ORDER BY p.webhook_id, p.report_id -- as outcomes of pushes lock them
), again AS (
  UPDATE push p
     SET status = 'WAITING',
         next_attempt_at = now(),
         attempts_before = p.attempts,
         starts = p.attempts,
         error = 'replayed',
         finished_at = NULL,
         replays = p.replays + 1
    FROM wanted
   WHERE p.webhook_id = wanted.webhook_id
     AND p.report_id = wanted.report_id
     AND p.status <> 'WAITING'
     AND p.replays < 100
  RETURNING wanted.id
), made AS (
  SELECT id, count(*)::integer AS count
    FROM again
   GROUP BY id
), taken AS (
  SELECT id, count(*) AS count, (array_agg(report_id ORDER BY report_id DESC))[1] AS last_id
    FROM wanted
   GROUP BY id
), reached AS (
  -- a full step ends at its last push, another one at the last that was read; one that reads nothing is the last
  SELECT running.id, COALESCE(made.count, 0) AS replayed,
         CASE WHEN taken.count >= step THEN taken.last_id ELSE further.last_id END AS after_id,
         CASE
           WHEN deleted_at IS NOT NULL THEN 'CANCELLED'
           WHEN taken.count >= step OR further.last_id IS NOT NULL THEN 'RUNNING'
           ELSE 'DONE'
         END AS status
    FROM running
    LEFT JOIN made ON made.id = running.id
    LEFT JOIN taken ON taken.id = running.id
    LEFT JOIN LATERAL (
      SELECT report_id AS last_id
        FROM (
               SELECT webhook_id, report_id, status
                 FROM push p
                WHERE p.webhook_id = running.webhook_id
                  AND p.report_id > running.after_id
                  AND p.report_id < running.upto_id
                  AND p.report_id >= (SELECT id FROM message_event ORDER BY id LIMIT 1)
                  AND status <> 'DELIVERED'
                ORDER BY p.report_id
                LIMIT 5000
             ) AS examined
       WHERE deleted_at IS NULL
         AND COALESCE(taken.count, 0) < step
       ORDER BY report_id DESC
       LIMIT 1
    ) AS further ON true
)
UPDATE push_replay pr
   SET replayed = pr.replayed + reached.replayed,
       advanced_at = now(),
       after_id = COALESCE(reached.after_id, pr.after_id),
       status = reached.status,
       finished_at = CASE WHEN reached.status <> 'RUNNING' THEN now() END
  FROM reached
 WHERE pr.id = reached.id;

WITH running AS MATERIALIZED (
  SELECT pr.*, w.deleted_at,
         GREATEST(1, ceil(
           LEAST(pr.rate_per_second, 10000) * LEAST(extract(epoch FROM now() - pr.advanced_at), 2)
         ))::integer AS step
    FROM push_replay pr
    JOIN webhook w ON w.id = pr.webhook_id
   WHERE pr.status = 'RUNNING'
     AND ('DELIVERED' = ANY(pr.statuses)) = $1
     AND pr.advanced_at <= now() - interval '300 milliseconds'
   ORDER BY pr.advanced_at, pr.id
   LIMIT 50
     FOR UPDATE OF pr SKIP LOCKED
), wanted AS MATERIALIZED (
  SELECT running.id, p.webhook_id, p.report_id
    FROM running
   CROSS JOIN LATERAL (
     SELECT webhook_id, report_id
       FROM (
              SELECT webhook_id, report_id, status
                FROM push p
               WHERE p.webhook_id = running.webhook_id
                 AND p.report_id > running.after_id
                 AND p.report_id < running.upto_id
                 AND p.report_id >= (SELECT id FROM message_event ORDER BY id LIMIT 1)
                 AND true
               ORDER BY p.report_id
               LIMIT 5000
            ) AS examined
      WHERE status = ANY(running.statuses)
      ORDER BY report_id
      LIMIT running.step
   ) AS p
   WHERE running.deleted_at IS NULL
   ORDER BY p.webhook_id, p.report_id -- as outcomes of pushes lock them
), again AS (
  UPDATE push p
     SET status = 'WAITING',
         next_attempt_at = now(),
         attempts_before = p.attempts,
         starts = p.attempts,
         error = 'replayed',
         finished_at = NULL,
         replays = p.replays + 1
    FROM wanted
   WHERE p.webhook_id = wanted.webhook_id
     AND p.report_id = wanted.report_id
     AND p.status <> 'WAITING'
     AND p.replays < 100
  RETURNING wanted.id
), made AS (
  SELECT id, count(*)::integer AS count
    FROM again
   GROUP BY id
), taken AS (
  SELECT id, count(*) AS count, (array_agg(report_id ORDER BY report_id DESC))[1] AS last_id
    FROM wanted
   GROUP BY id
), reached AS (
  -- a full step ends at its last push, another one at the last that was read; one that reads nothing is the last
  SELECT running.id, COALESCE(made.count, 0) AS replayed,
         CASE WHEN taken.count >= step THEN taken.last_id ELSE further.last_id END AS after_id,
         CASE
           WHEN deleted_at IS NOT NULL THEN 'CANCELLED'
           WHEN taken.count >= step OR further.last_id IS NOT NULL THEN 'RUNNING'
           ELSE 'DONE'
         END AS status
    FROM running
    LEFT JOIN made ON made.id = running.id
    LEFT JOIN taken ON taken.id = running.id
    LEFT JOIN LATERAL (
      SELECT report_id AS last_id
        FROM (
               SELECT webhook_id, report_id, status
                 FROM push p
                WHERE p.webhook_id = running.webhook_id
                  AND p.report_id > running.after_id
                  AND p.report_id < running.upto_id
                  AND p.report_id >= (SELECT id FROM message_event ORDER BY id LIMIT 1)
                  AND true
                ORDER BY p.report_id
                LIMIT 5000
             ) AS examined
       WHERE deleted_at IS NULL
         AND COALESCE(taken.count, 0) < step
       ORDER BY report_id DESC
       LIMIT 1
    ) AS further ON true
)
UPDATE push_replay pr
   SET replayed = pr.replayed + reached.replayed,
       advanced_at = now(),
       after_id = COALESCE(reached.after_id, pr.after_id),
       status = reached.status,
       finished_at = CASE WHEN reached.status <> 'RUNNING' THEN now() END
  FROM reached
 WHERE pr.id = reached.id;
