SELECT s.id AS "submissionId", key.n, s.sender, s.recipients[key.n] AS recipient
  FROM unnest($1::uuid[], $2::integer[])
         AS key(submission_id, n)
  JOIN submission s ON s.id = key.submission_id AND key.n <= cardinality(s.recipients);
