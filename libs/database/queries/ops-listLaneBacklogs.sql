WITH RECURSIVE unlisted AS MATERIALIZED (
  SELECT s.id, s.lane, s.account_id
    FROM (
      SELECT unnest(ids) AS id
        FROM ready_batch
       WHERE due_at < now() - interval '1 second'
       LIMIT 10000
    ) AS overdue
   CROSS JOIN LATERAL (
     SELECT *
       FROM submission s
      WHERE s.id = overdue.id
        AND s.fanned_out_at IS NULL
        AND NOT s.waits
     OFFSET 0
   ) AS s
), sms_otp AS (
  (SELECT account_id, 1 AS place
     FROM ready_sms
    WHERE lane = 'OTP'
      AND account_id > $1::uuid
    ORDER BY account_id
    LIMIT 1)
  UNION ALL
  SELECT next.account_id, sms_otp.place + 1
    FROM sms_otp
   CROSS JOIN LATERAL (
     SELECT account_id
       FROM ready_sms
      WHERE lane = 'OTP'
        AND account_id > sms_otp.account_id
      ORDER BY account_id
      LIMIT 1
   ) AS next
   WHERE sms_otp.place < $2::integer
), sms_trans AS (
  (SELECT account_id, 1 AS place
     FROM ready_sms
    WHERE lane = 'TRANS'
      AND account_id > $1::uuid
    ORDER BY account_id
    LIMIT 1)
  UNION ALL
  SELECT next.account_id, sms_trans.place + 1
    FROM sms_trans
   CROSS JOIN LATERAL (
     SELECT account_id
       FROM ready_sms
      WHERE lane = 'TRANS'
        AND account_id > sms_trans.account_id
      ORDER BY account_id
      LIMIT 1
   ) AS next
   WHERE sms_trans.place < $2::integer
), sms_promo AS (
  (SELECT account_id, 1 AS place
     FROM ready_sms
    WHERE lane = 'PROMO'
      AND account_id > $1::uuid
    ORDER BY account_id
    LIMIT 1)
  UNION ALL
  SELECT next.account_id, sms_promo.place + 1
    FROM sms_promo
   CROSS JOIN LATERAL (
     SELECT account_id
       FROM ready_sms
      WHERE lane = 'PROMO'
        AND account_id > sms_promo.account_id
      ORDER BY account_id
      LIMIT 1
   ) AS next
   WHERE sms_promo.place < $2::integer
), chat AS (
  (SELECT account_id, 1 AS place
     FROM ready_chat
    WHERE true
      AND account_id > $1::uuid
    ORDER BY account_id
    LIMIT 1)
  UNION ALL
  SELECT next.account_id, chat.place + 1
    FROM chat
   CROSS JOIN LATERAL (
     SELECT account_id
       FROM ready_chat
      WHERE true
        AND account_id > chat.account_id
      ORDER BY account_id
      LIMIT 1
   ) AS next
   WHERE chat.place < $2::integer
), unlisted_accounts AS (
  (SELECT account_id, 1 AS place
     FROM unlisted
    WHERE true
      AND account_id > $1::uuid
    ORDER BY account_id
    LIMIT 1)
  UNION ALL
  SELECT next.account_id, unlisted_accounts.place + 1
    FROM unlisted_accounts
   CROSS JOIN LATERAL (
     SELECT account_id
       FROM unlisted
      WHERE true
        AND account_id > unlisted_accounts.account_id
      ORDER BY account_id
      LIMIT 1
   ) AS next
   WHERE unlisted_accounts.place < $2::integer
), later AS (
  (SELECT account_id, 1 AS place
     FROM submission
    WHERE waits
      AND account_id > $1::uuid
    ORDER BY account_id
    LIMIT 1)
  UNION ALL
  SELECT next.account_id, later.place + 1
    FROM later
   CROSS JOIN LATERAL (
     SELECT account_id
       FROM submission
      WHERE waits
        AND account_id > later.account_id
      ORDER BY account_id
      LIMIT 1
   ) AS next
   WHERE later.place < $2::integer
), busy AS (
  SELECT account_id
    FROM (
      SELECT account_id FROM sms_otp
      UNION
      SELECT account_id FROM sms_trans
      UNION
      SELECT account_id FROM sms_promo
      UNION
      SELECT account_id FROM chat
      UNION
      SELECT account_id FROM unlisted_accounts
      UNION
      SELECT account_id FROM later
    ) AS found
   ORDER BY account_id
   LIMIT $2
), ready AS (
  SELECT busy.account_id, part.lane, LEAST(count(*), 10000)::integer AS ready, min(part.id::text)::uuid AS oldest
    FROM busy
   CROSS JOIN LATERAL (
     (SELECT lane, id
        FROM ready_sms
       WHERE lane = 'OTP'
         AND account_id = busy.account_id
       ORDER BY id
       LIMIT 10000)
     UNION ALL
     (SELECT lane, id
        FROM ready_sms
       WHERE lane = 'TRANS'
         AND account_id = busy.account_id
       ORDER BY id
       LIMIT 10000)
     UNION ALL
     (SELECT lane, id
        FROM ready_sms
       WHERE lane = 'PROMO'
         AND account_id = busy.account_id
       ORDER BY id
       LIMIT 10000)
     UNION ALL
     (SELECT lane, id FROM ready_chat WHERE account_id = busy.account_id ORDER BY id LIMIT 10000)
     UNION ALL
     SELECT lane, id FROM unlisted WHERE account_id = busy.account_id
   ) AS part
   GROUP BY busy.account_id, part.lane
), waiting AS (
  SELECT busy.account_id, part.lane, min(part.due_at) AS next_due_at,
         count(*) FILTER (WHERE part.why = 'scheduled')::integer AS scheduled,
         count(*) FILTER (WHERE part.why = 'held')::integer AS held,
         count(*) FILTER (WHERE part.why = 'paced')::integer AS paced
    FROM busy
   CROSS JOIN unnest(ARRAY['sms', 'chatapp']) AS u(channel)
   CROSS JOIN LATERAL (
     SELECT lane, due_at,
            CASE
              WHEN held_until IS NOT NULL THEN 'held'
              WHEN send_at > now() THEN 'scheduled'
              ELSE 'paced'
            END AS why
       FROM submission
      WHERE channel = u.channel
        AND account_id = busy.account_id
        AND waits
        AND due_at < 'infinity' -- not parked
      ORDER BY channel, account_id, due_at
      LIMIT 1000
   ) AS part
   GROUP BY busy.account_id, part.lane
)
SELECT account_id AS "accountId", a.name AS "accountName", a.paused_at AS "pausedAt", lane,
       COALESCE(ready.ready, 0) AS ready, uuid_extract_timestamp(ready.oldest) AS "oldestReadyAt",
       COALESCE(waiting.scheduled, 0) AS scheduled, COALESCE(waiting.paced, 0) AS paced,
       COALESCE(waiting.held, 0) AS held, waiting.next_due_at AS "nextDueAt"
  FROM ready
  FULL JOIN waiting USING (account_id, lane)
  JOIN account a ON a.id = account_id
 ORDER BY account_id, lane;
