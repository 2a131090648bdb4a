UPDATE push p
   SET status = 'WAITING',
       next_attempt_at = now(),
       attempts_before = p.attempts,
       starts = p.attempts,
       error = 'replayed',
       finished_at = NULL
 WHERE p.webhook_id = $1
       AND p.report_id = $2
       AND p.account_id = $3
       AND EXISTS (SELECT FROM message_event r WHERE r.id = p.report_id)
       AND EXISTS (SELECT FROM webhook w WHERE w.id = p.webhook_id AND w.account_id = $3 AND w.deleted_at IS NULL)
   AND p.status <> 'WAITING'
RETURNING p.report_id;

UPDATE push p
   SET next_attempt_at = LEAST(p.next_attempt_at, now())
 WHERE p.webhook_id = $1
       AND p.report_id = $2
       AND p.account_id = $3
       AND EXISTS (SELECT FROM message_event r WHERE r.id = p.report_id)
       AND EXISTS (SELECT FROM webhook w WHERE w.id = p.webhook_id AND w.account_id = $3 AND w.deleted_at IS NULL)
   AND p.status = 'WAITING'
   AND NOT ((p.starts > p.attempts OR p.error = 'in_flight') AND p.next_attempt_at > now())
RETURNING p.report_id;

SELECT
  FROM push p
 WHERE p.webhook_id = $1
       AND p.report_id = $2
       AND p.account_id = $3
       AND EXISTS (SELECT FROM message_event r WHERE r.id = p.report_id)
       AND EXISTS (SELECT FROM webhook w WHERE w.id = p.webhook_id AND w.account_id = $3 AND w.deleted_at IS NULL);
