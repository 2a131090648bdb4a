INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
SELECT $1, given.*
  FROM unnest($2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[])
         AS given(recipient, sender, id, source, reason, created_at)
 ORDER BY recipient, sender
ON CONFLICT ON CONSTRAINT opt_out_pkey DO UPDATE
   SET id = EXCLUDED.id, source = EXCLUDED.source, reason = EXCLUDED.reason, created_at = EXCLUDED.created_at;
