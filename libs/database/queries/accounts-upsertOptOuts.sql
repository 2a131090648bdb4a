INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
SELECT DISTINCT ON (identity.recipient, given.sender)
       $1::uuid, identity.recipient, given.sender,
       CASE WHEN identity.recipient = given.recipient THEN given.id ELSE uuidv7() END,
       given.source, given.reason, given.created_at
  FROM unnest($2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[])
         AS given(recipient, sender, id, source, reason, created_at)
 CROSS JOIN LATERAL (
   SELECT given.recipient AS recipient
    UNION
   SELECT unnest(ARRAY[same.msisdn, same.user_id])
     FROM chat_user known
     JOIN chat_user same ON same.account_id = known.account_id AND same.msisdn = known.msisdn
    WHERE known.account_id = $1::uuid
      AND (known.user_id = given.recipient OR known.msisdn = given.recipient)
 ) AS identity
 ORDER BY identity.recipient, given.sender, identity.recipient = given.recipient DESC
ON CONFLICT ON CONSTRAINT opt_out_pkey DO UPDATE
   SET id = EXCLUDED.id, source = EXCLUDED.source, reason = EXCLUDED.reason, created_at = EXCLUDED.created_at;
