WITH enabled AS (
  UPDATE webhook
     SET disabled_at = NULL, disabled_reason = NULL
   WHERE id = $1
     AND account_id = $2
     AND deleted_at IS NULL
  RETURNING id
), reset AS (
  UPDATE endpoint
     SET failures = 0, failing_since = NULL, window_from = now(), window_calls = 0, window_failures = 0,
         open_level = 0, open_until = NULL
   WHERE webhook_id = (SELECT id FROM enabled)
), hastened AS (
  UPDATE push p
     SET next_attempt_at = now()
    FROM (
      SELECT webhook_id, report_id
        FROM push
       WHERE webhook_id = (SELECT id FROM enabled)
         AND next_attempt_at > now()
         AND starts = attempts
         AND error IS DISTINCT FROM 'in_flight'
       ORDER BY next_attempt_at
       LIMIT 10000
         FOR UPDATE SKIP LOCKED
    ) AS early
   WHERE p.webhook_id = early.webhook_id
     AND p.report_id = early.report_id
)
SELECT count(*)::integer AS count FROM enabled;
