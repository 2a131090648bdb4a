WITH given AS MATERIALIZED (
  SELECT given.*, owner.account_id, owner.chat_account_id
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                $7::jsonb[], $8::uuid[], $9::integer[], $10::timestamptz[],
                $11::timestamptz[], $12::text[])
           AS given(id, gateway, gateway_message_id, sender, recipient, kind, content,
                    reply_to, reply_n, sent_at, received_at, wish)
    LEFT JOIN chat_sender owner ON owner.msisdn = given.recipient
), stored AS (
  -- it answers a message only if we sent that message to its writer
  INSERT INTO inbound_message (id, account_id, chat_account_id, gateway, gateway_message_id, sender, recipient,
                               kind, content, reply_to_submission_id, reply_to_n, sent_at, received_at)
  SELECT given.id, given.account_id, given.chat_account_id, given.gateway, given.gateway_message_id,
         given.sender, given.recipient, given.kind, given.content,
         s.id, CASE WHEN s.id IS NOT NULL THEN given.reply_n END, given.sent_at, given.received_at
    FROM given
    LEFT JOIN submission s
      ON s.id = given.reply_to
     AND s.account_id = given.account_id
     AND s.recipients[given.reply_n] = given.sender
   WHERE given.account_id IS NOT NULL
   ORDER BY given.gateway, given.gateway_message_id, given.id
  ON CONFLICT DO NOTHING
  RETURNING id, account_id, gateway, sender, recipient, sent_at, LEAST(sent_at, now()) AS written_at
), pair AS (
  INSERT INTO chat_pair AS p (account_id, sender, recipient, last_inbound_at)
  SELECT account_id, recipient, sender, max(written_at)
    FROM stored
   GROUP BY account_id, recipient, sender
   ORDER BY account_id, recipient, sender
  ON CONFLICT ON CONSTRAINT chat_pair_pkey DO UPDATE
     SET last_inbound_at = GREATEST(p.last_inbound_at, EXCLUDED.last_inbound_at)
), wish AS MATERIALIZED (
  -- the latest wish of each writer and number
  SELECT DISTINCT ON (stored.account_id, stored.sender, stored.recipient) stored.*, given.wish
    FROM given
    JOIN stored ON stored.id = given.id
   WHERE given.wish IS NOT NULL
   ORDER BY stored.account_id, stored.sender, stored.recipient, stored.written_at DESC
), stopped AS (
  INSERT INTO opt_out (account_id, recipient, sender, id, source, reason, created_at)
  SELECT account_id, sender, recipient, uuidv7(), 'inbound', NULL, written_at
    FROM wish
   WHERE wish = 'stop'
   ORDER BY account_id, sender, recipient
  ON CONFLICT ON CONSTRAINT opt_out_pkey DO NOTHING
), started AS (
  DELETE FROM opt_out o
   USING wish
   WHERE wish.wish = 'start'
     AND o.account_id = wish.account_id
     AND o.recipient = wish.sender
     AND o.sender = wish.recipient
     AND o.created_at <= wish.written_at
), event AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT uuidv7(), gateway, id, 0, 'RECEIVED', '000', 'Message received', sent_at
    FROM stored
  RETURNING id
)
SELECT ARRAY(SELECT id FROM event) AS "reportIds",
       ARRAY(SELECT id FROM given WHERE account_id IS NULL) AS unowned;
