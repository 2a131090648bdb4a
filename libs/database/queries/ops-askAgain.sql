UPDATE message m
   SET due_at = now() + interval '30 seconds', asks = $1
  FROM (
    SELECT m.submission_id, m.n
      FROM unnest($2::uuid[], $3::integer[])
             AS key(submission_id, n)
      JOIN message m ON m.submission_id = key.submission_id AND m.n = key.n
     WHERE m.status = 'SENT'
       AND m.sent_at > now() - interval '1 day'
       -- empty after the last question
       AND COALESCE(m.asks, $1) = $1
     ORDER BY m.submission_id, m.n
       FOR UPDATE OF m
  ) AS unasked
 WHERE m.submission_id = unasked.submission_id
   AND m.n = unasked.n;
