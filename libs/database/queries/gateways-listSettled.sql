SELECT m.submission_id AS "submissionId", m.n
  FROM unnest($1::uuid[], $2::integer[])
         AS key(submission_id, n)
  JOIN message m ON m.submission_id = key.submission_id AND m.n = key.n
 WHERE m.status IN ('DELIVERED', 'READ', 'FAILED');
