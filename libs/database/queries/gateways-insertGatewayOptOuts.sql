WITH change AS MATERIALIZED (
  SELECT DISTINCT ON (s.account_id, s.recipients[given.n], s.sender)
         s.account_id, s.recipients[given.n] AS recipient, s.sender, 'stop' AS consent, 'gateway' AS source,
         NULL AS reason, LEAST(given.at, now()) AS at
    FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[])
           AS given(submission_id, n, at)
    JOIN submission s ON s.id = given.submission_id
   WHERE s.recipients[given.n] IS NOT NULL
   ORDER BY s.account_id, s.recipients[given.n], s.sender, given.at DESC
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
