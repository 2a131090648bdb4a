WITH asked AS (
  UPDATE message m
     SET due_at = CASE WHEN due.is_asked_again THEN due.next_at END,
         asks = CASE WHEN due.is_asked_again THEN $1 END
    FROM (
      SELECT *, is_asked AND next_at > now() AND next_at < sent_at + interval '1 day' AS is_asked_again
        FROM (
          SELECT submission_id, n, sent_at, status = 'SENT' AS is_asked,
                 CASE
                   WHEN $3 THEN now() + GREATEST(now() - sent_at, make_interval(secs => 10))
                   ELSE sent_at + interval '1 day' - interval '1 second'
                 END AS next_at
            FROM message
           WHERE asks = $1
             AND due_at < LEAST(now(), $2::timestamptz)
             AND sent_at < $2::timestamptz - make_interval(secs => 10)
             AND NOT EXISTS (
                       SELECT
                         FROM report_batch
                        WHERE is_code = ANY('{false,true}')
                          AND due_at < now() - interval '6 seconds'
                     )
           ORDER BY due_at
           LIMIT 5000
             FOR UPDATE SKIP LOCKED
        ) AS overdue
    ) AS due
   WHERE m.submission_id = due.submission_id
     AND m.n = due.n
  RETURNING m.submission_id, m.n, m.recipient, m.gateway_message_id, m.sent_at, due.is_asked
)
SELECT submission_id AS "submissionId", n, recipient, gateway_message_id AS "gatewayMessageId",
       (SELECT sender FROM submission WHERE id = asked.submission_id) AS sender
  FROM asked
 WHERE is_asked
   AND sent_at > now() - interval '1 day';
