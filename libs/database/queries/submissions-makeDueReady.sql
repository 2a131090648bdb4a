WITH due AS (
  UPDATE submission
     SET waits = false, listed = true
   WHERE id IN (
     SELECT id
       FROM submission
      WHERE waits
        AND channel = $1
        AND due_at <= now()
      ORDER BY channel, due_at
      LIMIT 5000
        FOR UPDATE SKIP LOCKED
   )
  RETURNING id, channel, lane, account_id, sender, fanned_out_at, waits,
            CASE
              WHEN rate_per_second IS NULL THEN GREATEST(cardinality(recipients) - GREATEST(fanned_upto, 0), 1)
              ELSE 1
            END AS messages
), unlisted AS (
  UPDATE submission
     SET listed = true
   WHERE id IN (
     SELECT id
       FROM submission
      WHERE NOT listed
        AND NOT waits
        AND channel = $1
      ORDER BY id
      LIMIT 5000
        FOR UPDATE SKIP LOCKED
   )
  RETURNING id, channel, lane, account_id, sender, fanned_out_at, waits,
            CASE
              WHEN rate_per_second IS NULL THEN GREATEST(cardinality(recipients) - GREATEST(fanned_upto, 0), 1)
              ELSE 1
            END AS messages
), ready AS MATERIALIZED (
  SELECT *
    FROM (TABLE due UNION ALL TABLE unlisted) AS found
   WHERE fanned_out_at IS NULL
     AND NOT waits
), ready_sms_stored AS (
  INSERT INTO ready_sms (lane, account_id, id, messages)
  SELECT lane, account_id, id, messages
    FROM ready
   WHERE channel = 'sms'
   ORDER BY lane, account_id, id
  ON CONFLICT DO NOTHING
), ready_chat_stored AS (
  INSERT INTO ready_chat (lane, sender, id, account_id)
  SELECT lane, sender, id, account_id
    FROM ready
   WHERE channel = 'chatapp'
   ORDER BY lane, sender, id
  ON CONFLICT DO NOTHING
)
SELECT ARRAY(SELECT DISTINCT lane FROM ready) AS lanes,
       (SELECT count(*) FROM due) = 5000 AS "isFull";
