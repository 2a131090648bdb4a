INSERT INTO phone_message (submission_id, n, account_id, recipient, sender, channel, sealed_text)
SELECT given.submission_id, given.n, s.account_id, given.recipient, given.sender, s.channel, given.sealed_text
  FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::bytea[])
         AS given(submission_id, n, recipient, sender, sealed_text)
  JOIN submission s ON s.id = given.submission_id
 ORDER BY given.submission_id, given.n
ON CONFLICT ON CONSTRAINT phone_message_pkey DO NOTHING;
