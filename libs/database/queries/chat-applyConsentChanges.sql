SAVEPOINT typeorm_1;

SELECT pg_advisory_xact_lock(writer.key)
  FROM (
    SELECT DISTINCT hashtextextended('consent ' || text, 0) AS key
      FROM unnest($1::text[]) AS given(text)
     ORDER BY key
  ) AS writer;

WITH change AS MATERIALIZED (
  SELECT DISTINCT ON (owner.account_id, identity.recipient, given.sender)
         owner.account_id, identity.recipient, given.sender, given.consent, 'gateway' AS source,
         'refuses marketing messages' AS reason, LEAST(given.at, now()) AS at
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
   ORDER BY owner.account_id, identity.recipient, given.sender, given.at DESC, given.consent
), ended AS (
  INSERT INTO opt_out_end AS e (account_id, recipient, sender, source, ended_at)
  SELECT account_id, recipient, sender, source, at
    FROM change
   WHERE consent = 'start'
  ON CONFLICT ON CONSTRAINT opt_out_end_pkey DO UPDATE
     SET ended_at = EXCLUDED.ended_at
   WHERE e.ended_at < EXCLUDED.ended_at
  RETURNING 1
), stopped AS (
  -- touches each opt-out in the order of the keys; one that START may remove is only locked
  INSERT INTO opt_out AS o (account_id, recipient, sender, id, source, reason, created_at)
  SELECT account_id, recipient, sender, uuidv7(), source, reason, at
    FROM change
   CROSS JOIN LATERAL (
     SELECT count(*) AS locked
       FROM (
         SELECT
           FROM opt_out o
          WHERE change.consent = 'start'
            AND o.account_id = change.account_id
            AND o.recipient = change.recipient
            AND o.sender = change.sender
            FOR UPDATE
       ) AS present
   ) AS removable
   WHERE (SELECT count(*) FROM ended) >= 0
     AND (
       change.consent = 'inherited'
       OR change.consent = 'stop' AND NOT EXISTS (
                                            SELECT
                                              FROM opt_out_end e
                                             WHERE e.account_id = change.account_id
                                               AND e.recipient = change.recipient
                                               AND e.sender = change.sender
                                               AND e.ended_at >= change.at
                                               AND (e.source <> 'gateway' OR change.source = 'gateway')
                                          )
       OR removable.locked < 0
     )
  -- so that a START from before this STOP, which may be processed after it, does not remove the opt-out
  ON CONFLICT ON CONSTRAINT opt_out_pkey DO UPDATE
     SET created_at = EXCLUDED.created_at
   WHERE o.created_at < EXCLUDED.created_at
  RETURNING o.id
), started AS (
  DELETE FROM opt_out o
   USING change
   WHERE change.consent = 'start'
     AND (SELECT count(*) FROM stopped) >= 0
     AND o.account_id = change.account_id
     AND o.recipient = change.recipient
     AND o.sender = change.sender
     AND o.created_at <= change.at
     AND (o.source = 'gateway' OR change.source <> 'gateway')
)
SELECT;

RELEASE SAVEPOINT typeorm_1;
