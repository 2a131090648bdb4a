WITH given AS MATERIALIZED (
  SELECT given.*, COALESCE(given.given_to, sa.account_id, routed.account_id) AS account_id
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                $7::uuid[], $8::timestamptz[], $9::timestamptz[], $10::text[])
           AS given(id, gateway, gateway_message_id, sender, recipient, text, given_to,
                    sent_at, received_at, consent)
    LEFT JOIN sender_assignment sa
      ON sa.msisdn = given.recipient
     AND COALESCE(sa.quarantined_until > now(), true)
    LEFT JOIN LATERAL (
      SELECT a.id AS account_id
        FROM route rt
        JOIN account a ON a.id::text = rt.match->'accounts'->>0
       WHERE rt.enabled
         AND jsonb_array_length(rt.match->'accounts') = 1
         AND (rt.targets @> jsonb_build_array(jsonb_build_object('gateway', given.gateway))
           OR rt.fallbacks ? given.gateway)
         AND COALESCE(rt.match->'senders' ? given.recipient, true)
       ORDER BY rt.match->'senders' IS NULL, rt.priority, rt.id
       LIMIT 1
    ) AS routed ON sa.account_id IS NULL AND given.given_to IS NULL
), stored AS (
  INSERT INTO inbound_message (id, account_id, gateway, gateway_message_id, sender, recipient, kind, content,
                               sent_at, received_at)
  SELECT id, account_id, gateway, gateway_message_id, sender, recipient, 'text',
         jsonb_build_object('text', jsonb_build_object('body', text)), sent_at, received_at
    FROM given
   WHERE account_id IS NOT NULL
   ORDER BY gateway, gateway_message_id, id
  ON CONFLICT DO NOTHING
  RETURNING id, account_id, gateway, sender, recipient, sent_at, LEAST(sent_at, now()) AS written_at
), change AS MATERIALIZED (
  SELECT DISTINCT ON (stored.account_id, stored.sender, stored.recipient)
         stored.account_id, stored.sender AS recipient, stored.recipient AS sender,
         consents.by_id ->> stored.id::text AS consent, 'inbound' AS source, NULL AS reason,
         stored.written_at AS at
    FROM stored
    -- a join would compare each writer with each message: sessions have no hash joins
    JOIN (
      SELECT jsonb_object_agg(id, consent) AS by_id
        FROM given
       WHERE consent IS NOT NULL
    ) AS consents ON consents.by_id ? stored.id::text
   -- those of a clock that is ahead are all written now
   ORDER BY stored.account_id, stored.sender, stored.recipient, stored.sent_at DESC, consent
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
), event AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT uuidv7(), gateway, id, 0, 'RECEIVED', '000', 'Message received', sent_at
    FROM stored
  RETURNING id
)
SELECT ARRAY(SELECT id FROM event) AS "reportIds",
       ARRAY(SELECT id FROM given WHERE account_id IS NULL) AS unowned;
