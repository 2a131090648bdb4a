WITH seen AS (
  -- the calls of the window, with those of this tally; locked in the order of the key
  SELECT e.*, tally.failures_in_row, tally.failing_for_ms, tally.succeeded, tally.probe,
         calls + CASE WHEN e.window_from > now() - interval '300 seconds' THEN e.window_calls ELSE 0 END AS calls,
         failed + CASE WHEN e.window_from > now() - interval '300 seconds' THEN e.window_failures ELSE 0 END AS failed
    FROM endpoint e
    JOIN unnest($1::uuid[], $2::integer[], $3::integer[], $4::boolean[], $5::integer[],
                $6::integer[], $7::text[])
           AS tally(webhook_id, calls, failed, succeeded, failures_in_row, failing_for_ms,
                    probe)
      ON tally.webhook_id = e.webhook_id
   ORDER BY e.webhook_id
     FOR UPDATE OF e
), judged AS (
  SELECT *,
         failures_in_row + CASE WHEN succeeded THEN 0 ELSE failures END AS in_row,
         CASE
           WHEN probe = 'ok' THEN 0
           WHEN probe = 'failed' THEN LEAST(open_level + 1, 100)
           WHEN open_level = 0
                AND failures_in_row > 0
                AND calls >= 10
                AND failed >= 0.7 * calls
           THEN 1
           ELSE open_level
         END AS level
    FROM seen
), updated AS (
  -- a breaker that opens or closes begins a new window
  UPDATE endpoint e
     SET failures = j.in_row,
         failing_since = CASE
                           WHEN j.in_row = 0 THEN NULL
                           WHEN j.succeeded OR j.failing_since IS NULL
                           THEN now() - j.failing_for_ms * interval '1 millisecond'
                           ELSE j.failing_since
                         END,
         window_from = CASE
                         WHEN j.level <> j.open_level
                              OR j.window_from <= now() - interval '300 seconds'
                         THEN now()
                         ELSE j.window_from
                       END,
         window_calls = CASE WHEN j.level = j.open_level THEN j.calls ELSE 0 END,
         window_failures = CASE WHEN j.level = j.open_level THEN j.failed ELSE 0 END,
         open_level = j.level,
         open_until = CASE
                        WHEN j.level = 0 THEN NULL
                        WHEN j.level = j.open_level THEN j.open_until
                        ELSE now() + make_interval(
                          secs => LEAST(30 * 2 ^ LEAST(j.level - 1, 10), 600)
                        )
                      END
    FROM judged j
   WHERE e.webhook_id = j.webhook_id
  RETURNING e.webhook_id, e.failures, e.failing_since, e.open_level, j.open_level AS open_level_before
), hopeless AS (
  -- a change locks the webhook before its endpoint: one in progress is left to the next failure
  SELECT w.id, u.failures, u.failing_since
    FROM updated u
    JOIN webhook w ON w.id = u.webhook_id
   WHERE w.disabled_at IS NULL
     AND u.failures > 0
     AND (u.failing_since <= now() - interval '5 days'
          OR u.failures >= 100 AND u.failing_since <= now() - interval '24 hours')
     FOR NO KEY UPDATE OF w SKIP LOCKED
), disabled AS (
  UPDATE webhook w
     SET disabled_at = now(),
         disabled_reason = CASE
                             WHEN h.failing_since <= now() - interval '5 days'
                             THEN 'every call has failed for 5 days'
                             ELSE h.failures || ' calls in a row have failed'
                           END
    FROM hopeless h
   WHERE w.id = h.id
  RETURNING w.id, w.disabled_reason
)
SELECT u.webhook_id AS "webhookId", w.account_id AS "accountId", u.failures, u.open_level AS "openLevel",
       u.open_level_before AS "openLevelBefore", disabled.disabled_reason AS "disabledReason"
  FROM updated u
  JOIN webhook w ON w.id = u.webhook_id
  LEFT JOIN disabled ON disabled.id = u.webhook_id;
