WITH asked AS (
  UPDATE message m
     SET claimed_until = CASE WHEN due.next_at < due.sent_at + interval '1 day' THEN due.next_at ELSE 'infinity' END
    FROM (
      SELECT submission_id, n, sent_at,
             now() + GREATEST(now() - sent_at, make_interval(secs => 10)) AS next_at
        FROM message
       WHERE status = 'SENT'
         AND held_until IS NULL
         AND claimed_until < 'infinity'
         AND gateway = $1
         AND claimed_until < LEAST(now(), $2::timestamptz)
         AND sent_at < $2::timestamptz - make_interval(secs => 10)
       ORDER BY claimed_until
       LIMIT 5000
         FOR UPDATE SKIP LOCKED
    ) AS due
   WHERE m.submission_id = due.submission_id
     AND m.n = due.n
  RETURNING m.submission_id, m.n, m.recipient, m.sent_at
)
SELECT submission_id AS "submissionId", n, recipient
  FROM asked
 WHERE sent_at > now() - interval '1 day';
