UPDATE message m
   SET claimed_until = now() + make_interval(secs => $4),
       -- null: its time is still in claim_batch; infinity: parked
       due_at = CASE WHEN m.due_at < 'infinity' THEN now() + make_interval(secs => $4 + 1) ELSE m.due_at END
  FROM (
    SELECT m.submission_id, m.n
      FROM unnest($1::uuid[], $2::integer[], $3::integer[])
             AS claim(submission_id, n, attempt)
      JOIN message m ON m.submission_id = claim.submission_id AND m.n = claim.n
     WHERE m.status = 'PENDING'
       AND m.starts + m.throttles = claim.attempt
     ORDER BY m.submission_id, m.n
       FOR UPDATE OF m SKIP LOCKED
  ) AS mine
 WHERE m.submission_id = mine.submission_id
   AND m.n = mine.n
RETURNING m.submission_id AS "submissionId", m.n;
