INSERT INTO unconfirmed_message (submission_id, n, gateway, channel, due_at)
SELECT key.submission_id, key.n, $1, $2, s.expires_at + interval '5 minutes'
  FROM unnest($3::uuid[], $4::integer[])
         AS key(submission_id, n)
  JOIN submission s ON s.id = key.submission_id
 ORDER BY key.submission_id, key.n
ON CONFLICT ON CONSTRAINT unconfirmed_message_pkey DO UPDATE
   SET gateway = EXCLUDED.gateway;
