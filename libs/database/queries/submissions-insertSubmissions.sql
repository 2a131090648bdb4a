WITH call AS (
  SELECT *, COALESCE(send_at, now()) AS due_at
    FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[],
                $7::bytea[], $8::text[], $9::jsonb[], $10::smallint[], $11::text[],
                $12::text[], $13::text[], $14::timestamptz[], $15::text[], $16::timestamptz[],
                $17::integer[], $18::boolean[], $19::text[], $20::text[], $21::bytea[])
           AS call(id, account_id, kind, lane, sender, content, sealed, recipients, custom,
                   credits, credits_each, campaign, client_ref, expires_at, channel, send_at,
                   rate_per_second, waits, path, key, body_hash)
), refused AS (
  SELECT id
    FROM call
   WHERE strpos(recipients, ',') = 0
         AND (call.lane NOT IN ('OTP', 'CHAT_OTP') AND (
               SELECT o.sender
                 FROM opt_out o
                WHERE o.account_id = call.account_id
                  AND o.recipient = recipients
                  AND CASE WHEN o.sender IN ('', call.sender) THEN true END
                ORDER BY o.sender
                LIMIT 1
             ) IS NOT NULL)
), keyed AS (
  -- in the order of the keys, so that two processes with the same keys never deadlock
  INSERT INTO idempotency_key AS k (account_id, path, key, body_hash, resource_id)
  SELECT account_id, path, key, body_hash, id
    FROM call
   WHERE key IS NOT NULL AND NOT EXISTS (SELECT FROM refused WHERE refused.id = call.id)
   ORDER BY account_id, path, key
  ON CONFLICT ON CONSTRAINT idempotency_key_pkey DO UPDATE
     SET body_hash = EXCLUDED.body_hash, resource_id = EXCLUDED.resource_id, created_at = now()
   WHERE k.created_at < now() - interval '48 hours'
  RETURNING resource_id
), stored AS (
  INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, sealed, recipients, custom,
                          credits, credits_each, campaign, client_ref, send_at, due_at, expires_at,
                          rate_per_second, waits, listed)
  SELECT id, account_id, channel, kind, lane, sender, content, sealed, string_to_array(recipients, ','), custom,
         credits, string_to_array(credits_each, ',')::smallint[], campaign, client_ref, send_at, due_at,
         COALESCE(expires_at, due_at + CASE lane
                                         WHEN 'OTP' THEN interval '0.25 hours'
                                         WHEN 'TRANS' THEN interval '48 hours'
                                         WHEN 'PROMO' THEN interval '48 hours'
                                         WHEN 'CHAT_OTP' THEN interval '0.25 hours'
                                         WHEN 'CHAT' THEN interval '24 hours'
                                       END),
         rate_per_second, waits, NOT waits
    FROM call
   WHERE CASE
           WHEN key IS NULL THEN NOT EXISTS (SELECT FROM refused WHERE refused.id = call.id)
           ELSE id IN (SELECT resource_id FROM keyed)
         END
  RETURNING id, channel, lane, account_id, sender, waits,
            CASE
              WHEN rate_per_second IS NULL THEN GREATEST(cardinality(recipients) - GREATEST(fanned_upto, 0), 1)
              ELSE 1
            END AS messages
), sms_listed AS (
  INSERT INTO ready_batch (id, lane, due_at, ids, messages)
  SELECT ids[1], lane, now() + interval '1 second', ids, messages
    FROM (
      SELECT lane, array_agg(id ORDER BY id) AS ids,
             CASE WHEN max(messages) > 1 THEN array_agg(messages ORDER BY id) END AS messages
        FROM stored
       WHERE channel = 'sms' AND NOT waits
       GROUP BY lane
    ) AS batched
), chat_listed AS (
  INSERT INTO ready_chat (lane, sender, id, account_id)
  SELECT lane, sender, id, account_id
    FROM stored
   WHERE channel = 'chatapp'
     AND NOT waits
)
SELECT id, 'stored' AS outcome FROM stored
 UNION ALL
SELECT id, 'opted_out' FROM refused;

WITH stored AS (
  INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, sealed, recipients, custom,
                          credits, credits_each, campaign, client_ref, send_at, due_at, expires_at,
                          rate_per_second, waits, listed)
  SELECT id, account_id, channel, kind, lane, sender, content, sealed, string_to_array(recipients, ','), custom,
         credits, string_to_array(credits_each, ',')::smallint[], campaign, client_ref, send_at, due_at,
         COALESCE(expires_at, due_at + CASE lane
                                         WHEN 'OTP' THEN interval '0.25 hours'
                                         WHEN 'TRANS' THEN interval '48 hours'
                                         WHEN 'PROMO' THEN interval '48 hours'
                                         WHEN 'CHAT_OTP' THEN interval '0.25 hours'
                                         WHEN 'CHAT' THEN interval '24 hours'
                                       END),
         rate_per_second, waits, NOT waits
    FROM (
           SELECT *,
                  'sms' AS channel,
                  NULL::timestamptz AS send_at,
                  now() AS due_at,
                  NULL::integer AS rate_per_second,
                  false AS waits
             FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[],
                         $7::bytea[], $8::text[], $9::jsonb[], $10::smallint[], $11::text[],
                         $12::text[], $13::text[], $14::timestamptz[])
                    AS call(id, account_id, kind, lane, sender, content, sealed, recipients, custom,
                            credits, credits_each, campaign, client_ref, expires_at)
         ) AS call
   WHERE NOT (
           strpos(recipients, ',') = 0
           AND (call.lane NOT IN ('OTP', 'CHAT_OTP') AND (
                 SELECT o.sender
                   FROM opt_out o
                  WHERE o.account_id = call.account_id
                    AND o.recipient = recipients
                    AND CASE WHEN o.sender IN ('', call.sender) THEN true END
                  ORDER BY o.sender
                  LIMIT 1
               ) IS NOT NULL)
         )
  RETURNING id, channel, lane, account_id, sender, waits,
            CASE
              WHEN rate_per_second IS NULL THEN GREATEST(cardinality(recipients) - GREATEST(fanned_upto, 0), 1)
              ELSE 1
            END AS messages
), listed AS (
  INSERT INTO ready_batch (id, lane, due_at, ids, messages)
  SELECT ids[1], lane, now() + interval '1 second', ids, messages
    FROM (
      SELECT lane, array_agg(id ORDER BY id) AS ids,
             CASE WHEN max(messages) > 1 THEN array_agg(messages ORDER BY id) END AS messages
        FROM stored
       WHERE true
       GROUP BY lane
    ) AS batched
)
SELECT id, 'stored' AS outcome FROM stored;

WITH stored AS (
  INSERT INTO submission (id, account_id, channel, kind, lane, sender, content, sealed, recipients, custom,
                          credits, credits_each, campaign, client_ref, send_at, due_at, expires_at,
                          rate_per_second, waits, listed)
  SELECT id, account_id, channel, kind, lane, sender, content, sealed, string_to_array(recipients, ','), custom,
         credits, string_to_array(credits_each, ',')::smallint[], campaign, client_ref, send_at, due_at,
         COALESCE(expires_at, due_at + CASE lane
                                         WHEN 'OTP' THEN interval '0.25 hours'
                                         WHEN 'TRANS' THEN interval '48 hours'
                                         WHEN 'PROMO' THEN interval '48 hours'
                                         WHEN 'CHAT_OTP' THEN interval '0.25 hours'
                                         WHEN 'CHAT' THEN interval '24 hours'
                                       END),
         rate_per_second, waits, NOT waits
    FROM (
           SELECT *,
                  'chatapp' AS channel,
                  NULL::timestamptz AS send_at,
                  now() AS due_at,
                  NULL::integer AS rate_per_second,
                  false AS waits
             FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::jsonb[],
                         $7::bytea[], $8::text[], $9::jsonb[], $10::smallint[], $11::text[],
                         $12::text[], $13::text[], $14::timestamptz[])
                    AS call(id, account_id, kind, lane, sender, content, sealed, recipients, custom,
                            credits, credits_each, campaign, client_ref, expires_at)
         ) AS call
   WHERE NOT (
           strpos(recipients, ',') = 0
           AND (call.lane NOT IN ('OTP', 'CHAT_OTP') AND (
                 SELECT o.sender
                   FROM opt_out o
                  WHERE o.account_id = call.account_id
                    AND o.recipient = recipients
                    AND CASE WHEN o.sender IN ('', call.sender) THEN true END
                  ORDER BY o.sender
                  LIMIT 1
               ) IS NOT NULL)
         )
  RETURNING id, channel, lane, account_id, sender, waits,
            CASE
              WHEN rate_per_second IS NULL THEN GREATEST(cardinality(recipients) - GREATEST(fanned_upto, 0), 1)
              ELSE 1
            END AS messages
), listed AS (
  INSERT INTO ready_chat (lane, sender, id, account_id)
  SELECT lane, sender, id, account_id
    FROM stored
)
SELECT id, 'stored' AS outcome FROM stored;
