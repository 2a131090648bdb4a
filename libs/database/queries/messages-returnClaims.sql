UPDATE message m
   SET starts = m.starts - 1,
       throttles = LEAST(m.throttles + CASE WHEN m.starts > 1 THEN 2 ELSE 1 END, 30000),
       claimed_until = now(),
       -- null: its time is still in claim_batch
       due_at = CASE WHEN m.due_at IS NOT NULL THEN now() + interval '1 second' END
  FROM (
    SELECT m.submission_id, m.n
      FROM unnest($1::uuid[], $2::integer[], $3::integer[])
             AS claim(submission_id, n, attempt)
      JOIN message m ON m.submission_id = claim.submission_id AND m.n = claim.n
     WHERE m.status = 'PENDING'
       AND m.starts + m.throttles = claim.attempt
     ORDER BY m.submission_id, m.n
       FOR UPDATE OF m
  ) AS mine
 WHERE m.submission_id = mine.submission_id
   AND m.n = mine.n
   AND m.starts > 0 -- not returned yet;
