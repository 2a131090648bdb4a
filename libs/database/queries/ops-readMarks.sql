SELECT concat_ws(
 ' ',
 (SELECT id FROM submission ORDER BY id DESC LIMIT 1),
 (SELECT id FROM claim_batch ORDER BY id DESC LIMIT 1),
 (SELECT id FROM message_event ORDER BY id DESC LIMIT 1)
) AS lane,
concat_ws(
 ' ',
 (SELECT string_agg(concat_ws(' ', name, version, enabled, paused), ' ' ORDER BY name) FROM gateway),
 (SELECT string_agg(
           concat_ws(' ', gateway_id, worker_id, status, reason, detail, seen_at), ' '
           ORDER BY gateway_id, worker_id
         )
    FROM gateway_state),
 (SELECT string_agg(
           concat_ws(' ', gateway, accepted, refused, delivered, failed), ' ' ORDER BY gateway
         )
    FROM gateway_minute
   WHERE minute = date_trunc('minute', now()))
) AS gateway,
(SELECT string_agg(concat_ws(' ', id, version, priority, enabled), ' ' ORDER BY id) FROM route) AS route,
(SELECT concat_ws(' ', count(*), sum(failures), sum(open_level), max(open_until), max(failing_since))
  FROM endpoint
 WHERE failures > 0 OR open_level > 0) AS endpoint,
concat_ws(
 ' ',
 (SELECT id FROM orphan_report ORDER BY id DESC LIMIT 1),
 (SELECT next_try_at FROM orphan_report WHERE next_try_at IS NOT NULL ORDER BY next_try_at LIMIT 1)
) AS orphan,
(SELECT string_agg(concat_ws(' ', fleet, workers), ' ' ORDER BY fleet)
  FROM (
    SELECT fleet, count(*) AS workers
      FROM live_worker
     WHERE seen_at > now() - interval '3 seconds'
     GROUP BY fleet
  ) AS live) AS worker;
