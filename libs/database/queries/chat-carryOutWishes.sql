WITH wish AS MATERIALIZED (
  SELECT DISTINCT ON (owner.account_id, given.recipient, given.sender)
         owner.account_id, given.recipient, given.sender, given.wish, LEAST(given.at, now()) AS at
    FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])
           AS given(recipient, sender, wish, at)
    JOIN chat_sender owner ON owner.msisdn = given.sender
   ORDER BY owner.account_id, given.recipient, given.sender, given.at DESC
), stopped AS (
  INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
  SELECT account_id, recipient, sender, uuidv7(), 'gateway', 'refuses marketing messages', at
    FROM wish
   WHERE wish = 'stop'
   ORDER BY account_id, recipient, sender
  ON CONFLICT ON CONSTRAINT opt_out_pkey DO NOTHING
)
DELETE FROM opt_out o
 USING wish
 WHERE wish.wish = 'start'
   AND o.source = 'gateway'
   AND o.account_id = wish.account_id
   AND o.recipient = wish.recipient
   AND o.sender = wish.sender
   AND o.created_at <= wish.at;
