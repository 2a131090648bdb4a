WITH consent AS MATERIALIZED (
  SELECT DISTINCT ON (owner.account_id, identity.recipient, given.sender)
         owner.account_id, identity.recipient, given.sender, given.consent, LEAST(given.at, now()) AS at
    FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])
           AS given(recipient, sender, consent, at)
    JOIN chat_sender owner ON owner.msisdn = given.sender
   CROSS JOIN LATERAL (
     SELECT given.recipient AS recipient
      UNION
     SELECT unnest(ARRAY[same.msisdn, same.user_id])
       FROM chat_user known
       JOIN chat_user same ON same.account_id = known.account_id AND same.msisdn = known.msisdn
      WHERE known.account_id = owner.account_id
        AND (known.user_id = given.recipient OR known.msisdn = given.recipient)
   ) AS identity
   ORDER BY owner.account_id, identity.recipient, given.sender, given.at DESC
), locked AS MATERIALIZED (
  -- in the order of their keys, before the two steps that change them
  SELECT
    FROM opt_out o
    JOIN consent
      ON consent.account_id = o.account_id
     AND consent.recipient = o.recipient
     AND consent.sender = o.sender
   ORDER BY o.account_id, o.recipient, o.sender
     FOR UPDATE OF o
), stopped AS (
  INSERT INTO opt_out AS o (account_id, recipient, sender, id, source, reason, created_at)
  SELECT account_id, recipient, sender, uuidv7(), 'gateway', 'refuses marketing messages', at
    FROM consent
   WHERE consent = 'stop'
     AND (SELECT count(*) FROM locked) >= 0
   ORDER BY account_id, recipient, sender
  -- so that a START from before this STOP, which may be processed after it, does not remove the opt-out
  ON CONFLICT ON CONSTRAINT opt_out_pkey DO UPDATE
     SET created_at = EXCLUDED.created_at
   WHERE o.created_at < EXCLUDED.created_at
), started AS (
  DELETE FROM opt_out o
   USING consent
   WHERE consent.consent = 'start'
     AND (SELECT count(*) FROM locked) >= 0
     AND o.account_id = consent.account_id
     AND o.recipient = consent.recipient
     AND o.sender = consent.sender
     AND o.source = 'gateway'
         AND o.created_at <= consent.at
)
SELECT;
