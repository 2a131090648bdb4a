INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
SELECT DISTINCT ON (s.account_id, s.recipients[given.n], s.sender)
       s.account_id, s.recipients[given.n], s.sender, uuidv7(), 'gateway', NULL, now()
  FROM unnest($1::uuid[], $2::integer[])
         AS given(submission_id, n)
  JOIN submission s ON s.id = given.submission_id
 WHERE s.recipients[given.n] IS NOT NULL
 ORDER BY s.account_id, s.recipients[given.n], s.sender
ON CONFLICT ON CONSTRAINT opt_out_pkey DO NOTHING;
