WITH given AS MATERIALIZED (
  SELECT given.*, owner.account_id, owner.chat_account_id
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                $7::jsonb[], $8::uuid[], $9::integer[], $10::timestamptz[],
                $11::timestamptz[], $12::text[], $13::text[], $14::text[])
           AS given(id, gateway, gateway_message_id, sender, recipient, kind, content,
                    reply_to, reply_n, sent_at, received_at, consent, user_id,
                    reply_to_gateway_id)
    LEFT JOIN chat_sender owner ON owner.msisdn = given.recipient
), stored AS (
  -- it answers a message only if we sent that message to its writer
  INSERT INTO inbound_message (id, account_id, chat_account_id, gateway, gateway_message_id, sender, recipient,
                               kind, content, reply_to_submission_id, reply_to_n, sent_at, received_at, user_id)
  SELECT given.id, given.account_id, given.chat_account_id, given.gateway, given.gateway_message_id,
         given.sender, given.recipient, given.kind, given.content,
         COALESCE(s.id, answered.submission_id),
         CASE WHEN s.id IS NOT NULL THEN given.reply_n ELSE answered.n END,
         given.sent_at, given.received_at, given.user_id
    FROM given
    LEFT JOIN submission s
      ON s.id = given.reply_to
     AND s.account_id = given.account_id
     AND s.recipients[given.reply_n] = given.sender
    LEFT JOIN LATERAL (
      SELECT submission_id, n
        FROM (
          SELECT submission_id, n, gateway, gateway_message_id
            FROM message
           WHERE given.reply_to_gateway_id IS NOT NULL
             AND account_id = given.account_id
             AND recipient COLLATE "C" = given.sender
           ORDER BY ((uuid_extract_timestamp(submission_id) AT TIME ZONE 'UTC')::date) DESC, submission_id DESC, n DESC
           LIMIT 500
        ) AS recent
       WHERE recent.gateway = given.gateway
         AND recent.gateway_message_id = given.reply_to_gateway_id
       LIMIT 1
    ) AS answered ON true
   WHERE given.account_id IS NOT NULL
   ORDER BY given.gateway, given.gateway_message_id, given.id
  ON CONFLICT DO NOTHING
  RETURNING id, account_id, gateway, sender, recipient, kind, sent_at, user_id, LEAST(sent_at, now()) AS written_at
), known AS (
  INSERT INTO chat_user AS cu (account_id, user_id, msisdn)
  SELECT DISTINCT ON (account_id, user_id) account_id, user_id, sender
    FROM stored
   WHERE user_id <> sender
   ORDER BY account_id, user_id, written_at DESC
  ON CONFLICT ON CONSTRAINT chat_user_pkey DO UPDATE
     SET msisdn = EXCLUDED.msisdn, seen_at = now()
  RETURNING user_id
), person AS MATERIALIZED (
  -- a message counts for the number and for the user id of its writer, as far as they are known
  SELECT stored.id, stored.account_id, stored.recipient, stored.kind, stored.sent_at, stored.written_at,
         ARRAY(
           SELECT stored.sender
            UNION
           SELECT stored.user_id
            WHERE stored.user_id IS NOT NULL
            UNION
           SELECT cu.msisdn
             FROM chat_user cu
            WHERE cu.account_id = stored.account_id
              AND cu.user_id = stored.user_id
            UNION
           SELECT cu.user_id
             FROM chat_user cu
            WHERE cu.account_id = stored.account_id
              AND cu.msisdn = stored.sender
         ) AS identities
    FROM stored
   -- user ids are touched before opt-outs, as by notices of identities
   WHERE (SELECT count(*) FROM known) >= 0
), writer AS MATERIALIZED (
  SELECT person.*, identity.sender
    FROM person
   CROSS JOIN unnest(person.identities) AS identity (sender)
), pair AS (
  INSERT INTO chat_pair AS p (account_id, sender, recipient, last_inbound_at)
  SELECT account_id, recipient, sender, max(written_at)
    FROM writer
   WHERE kind <> 'system' -- the provider wrote it
   GROUP BY account_id, recipient, sender
   ORDER BY account_id, recipient, sender
  ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE
     SET last_inbound_at = GREATEST(p.last_inbound_at, EXCLUDED.last_inbound_at)
), consent AS MATERIALIZED (
  SELECT DISTINCT ON (writer.account_id, writer.sender, writer.recipient)
         writer.account_id, writer.sender AS recipient, writer.recipient AS sender,
         consents.by_id ->> writer.id::text AS consent, 'inbound' AS source, NULL AS reason,
         writer.written_at AS at
    FROM writer
    -- a join would compare each writer with each message: sessions have no hash joins
    JOIN (
      SELECT jsonb_object_agg(id, consent) AS by_id
        FROM given
       WHERE consent IS NOT NULL
    ) AS consents ON consents.by_id ? writer.id::text
   -- those of a clock that is ahead are all written now
   ORDER BY writer.account_id, writer.sender, writer.recipient, writer.sent_at DESC, consent
), restarted AS MATERIALIZED (
  SELECT account_id, recipient, sender, at
    FROM consent
   WHERE consent = 'start'
), followed AS (
  -- an opt-out of one identity of a writer holds for the others
  SELECT o.account_id, other.recipient, o.sender, o.source, o.reason, o.created_at AS at
    FROM writer
    JOIN opt_out o
      ON o.account_id = writer.account_id
     AND o.recipient = writer.sender
   CROSS JOIN unnest(writer.identities) AS other (recipient)
   WHERE other.recipient <> o.recipient
     AND NOT EXISTS (
           SELECT FROM restarted
            WHERE restarted.account_id = o.account_id
              AND restarted.recipient = o.recipient
              AND restarted.sender = o.sender
              AND restarted.at >= o.created_at
         )
     AND COALESCE(
           (
             SELECT same.created_at
               FROM opt_out same
              WHERE same.account_id = o.account_id
                AND same.recipient = other.recipient
                AND same.sender = o.sender
           ) < o.created_at,
           true
         )
), change AS MATERIALIZED (
  -- the latest of each key
  SELECT DISTINCT ON (account_id, recipient, sender)
         account_id, recipient, sender, consent, source, reason, at
    FROM (
      SELECT account_id, recipient, sender, consent, source, reason, at, true AS is_stated
        FROM consent
       UNION ALL
      SELECT account_id, recipient, sender, 'inherited', source, reason, at, false
        FROM followed
    ) AS each
   ORDER BY account_id, recipient, sender, at DESC, is_stated DESC
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
