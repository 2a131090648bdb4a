UPDATE message m
   SET claimed_until = now() + GREATEST(now() - m.sent_at, make_interval(secs => 10))
  FROM (
    SELECT submission_id, n
      FROM message
     WHERE status = 'SENT'
       AND held_until IS NULL
       AND claimed_until < now()
       AND gateway = $1
       AND sent_at > now() - interval '1 day'
       AND sent_at < $2::timestamptz - make_interval(secs => 10)
     LIMIT 5000
       FOR UPDATE SKIP LOCKED
  ) AS due
 WHERE m.submission_id = due.submission_id
   AND m.n = due.n
RETURNING m.submission_id AS "submissionId", m.n, m.recipient;
