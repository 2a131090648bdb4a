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
) AS gateway;
