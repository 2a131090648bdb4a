WITH running AS MATERIALIZED (
  -- `step` is what the rate allows since the last step, of two seconds at most
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
), seen AS MATERIALIZED (
  SELECT running.id, p.webhook_id, p.report_id, p.status = ANY(running.statuses) AS is_wanted
    FROM running,
         LATERAL (
           SELECT webhook_id, report_id, status
             FROM push p
            WHERE p.webhook_id = running.webhook_id
              AND p.report_id > running.after_id
              AND p.report_id < running.upto_id
              AND p.report_id >= (SELECT id FROM message_event ORDER BY id LIMIT 1)
              AND status <> 'DELIVERED'
            ORDER BY p.report_id
            LIMIT 5000
         ) AS p
   WHERE running.deleted_at IS NULL
), wanted AS MATERIALIZED (
  -- the oldest pushes of the wanted statuses, a step of them
  SELECT *
    FROM (
      SELECT seen.*, row_number() OVER (PARTITION BY id ORDER BY report_id) AS place
        FROM seen
       WHERE is_wanted
    ) AS placed
   WHERE place <= (SELECT step FROM running WHERE running.id = placed.id)
   ORDER BY webhook_id, report_id -- as outcomes of pushes lock them
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
), reached AS (
  SELECT running.id, running.deleted_at, running.step,
         (SELECT count(*)::integer FROM again WHERE again.id = running.id) AS replayed,
         (SELECT count(*)::integer FROM wanted WHERE wanted.id = running.id) AS taken,
         (SELECT count(*)::integer FROM seen WHERE seen.id = running.id) AS seen,
         (SELECT report_id FROM wanted WHERE wanted.id = running.id ORDER BY place DESC LIMIT 1) AS last_wanted,
         (SELECT report_id FROM seen WHERE seen.id = running.id ORDER BY report_id DESC LIMIT 1) AS last_seen
    FROM running
)
-- a full step ends at its last push, another one at the last that was read; a step that read nothing was the last
UPDATE push_replay pr
   SET replayed = pr.replayed + reached.replayed,
       advanced_at = now(),
       after_id = COALESCE(
         CASE WHEN reached.taken >= reached.step THEN reached.last_wanted ELSE reached.last_seen END,
         pr.after_id
       ),
       status = CASE
                  WHEN reached.deleted_at IS NOT NULL THEN 'CANCELLED'
                  WHEN reached.seen = 0 THEN 'DONE'
                  ELSE pr.status
                END,
       finished_at = CASE WHEN reached.deleted_at IS NOT NULL OR reached.seen = 0 THEN now() END
  FROM reached
 WHERE pr.id = reached.id;

WITH running AS MATERIALIZED (
  -- `step` is what the rate allows since the last step, of two seconds at most
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
), seen AS MATERIALIZED (
  SELECT running.id, p.webhook_id, p.report_id, p.status = ANY(running.statuses) AS is_wanted
    FROM running,
         LATERAL (
           SELECT webhook_id, report_id, status
             FROM push p
            WHERE p.webhook_id = running.webhook_id
              AND p.report_id > running.after_id
              AND p.report_id < running.upto_id
              AND p.report_id >= (SELECT id FROM message_event ORDER BY id LIMIT 1)
              AND true
            ORDER BY p.report_id
            LIMIT 5000
         ) AS p
   WHERE running.deleted_at IS NULL
), wanted AS MATERIALIZED (
  -- the oldest pushes of the wanted statuses, a step of them
  SELECT *
    FROM (
      SELECT seen.*, row_number() OVER (PARTITION BY id ORDER BY report_id) AS place
        FROM seen
       WHERE is_wanted
    ) AS placed
   WHERE place <= (SELECT step FROM running WHERE running.id = placed.id)
   ORDER BY webhook_id, report_id -- as outcomes of pushes lock them
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
), reached AS (
  SELECT running.id, running.deleted_at, running.step,
         (SELECT count(*)::integer FROM again WHERE again.id = running.id) AS replayed,
         (SELECT count(*)::integer FROM wanted WHERE wanted.id = running.id) AS taken,
         (SELECT count(*)::integer FROM seen WHERE seen.id = running.id) AS seen,
         (SELECT report_id FROM wanted WHERE wanted.id = running.id ORDER BY place DESC LIMIT 1) AS last_wanted,
         (SELECT report_id FROM seen WHERE seen.id = running.id ORDER BY report_id DESC LIMIT 1) AS last_seen
    FROM running
)
-- a full step ends at its last push, another one at the last that was read; a step that read nothing was the last
UPDATE push_replay pr
   SET replayed = pr.replayed + reached.replayed,
       advanced_at = now(),
       after_id = COALESCE(
         CASE WHEN reached.taken >= reached.step THEN reached.last_wanted ELSE reached.last_seen END,
         pr.after_id
       ),
       status = CASE
                  WHEN reached.deleted_at IS NOT NULL THEN 'CANCELLED'
                  WHEN reached.seen = 0 THEN 'DONE'
                  ELSE pr.status
                END,
       finished_at = CASE WHEN reached.deleted_at IS NOT NULL OR reached.seen = 0 THEN now() END
  FROM reached
 WHERE pr.id = reached.id;
