WITH RECURSIVE late AS MATERIALIZED (
  -- while `makeDueReady` keeps up, this probe of an index is all that is done
  SELECT
    FROM submission
   WHERE waits
     AND channel = $1
     AND due_at < now() - interval '1 second'
   ORDER BY channel, due_at
   LIMIT 1
), account_in_turn AS (
  SELECT first.channel, first.account_id, 1 AS place
    FROM late
   CROSS JOIN LATERAL (
     SELECT channel, account_id
       FROM submission
      WHERE waits
        AND (channel, account_id) > ($1, $2::uuid)
      ORDER BY channel, account_id
      LIMIT 1
   ) AS first
   WHERE first.channel = $1
   UNION ALL
  SELECT next.channel, next.account_id, account_in_turn.place + 1
    FROM account_in_turn
   CROSS JOIN LATERAL (
     SELECT channel, account_id
       FROM submission
      WHERE waits
        AND (channel, account_id) > ($1, account_in_turn.account_id)
      ORDER BY channel, account_id
      LIMIT 1
   ) AS next
   WHERE account_in_turn.place < 200
     AND next.channel = $1
),
share AS MATERIALIZED (
  SELECT oldest.id
    FROM account_in_turn a
   CROSS JOIN LATERAL (
     -- an upper bound of due_at would let the planner choose the index of the channel
     SELECT id, channel, account_id, due_at
       FROM submission
      WHERE waits
        AND (channel, account_id, due_at) >= ($1, a.account_id, '-infinity'::timestamptz)
      ORDER BY channel, account_id, due_at
      LIMIT 25
   ) AS oldest
   WHERE oldest.channel = $1
     AND oldest.account_id = a.account_id
     AND oldest.due_at <= now()
), locked AS MATERIALIZED (
  SELECT s.id
    FROM share
    JOIN submission s ON s.id = share.id
   WHERE s.due_at <= now()
     FOR UPDATE OF s SKIP LOCKED
), due AS (
  UPDATE submission
     SET waits = false, listed = true
   WHERE id IN (SELECT id FROM locked)
  RETURNING id, channel, lane, account_id, sender, fanned_out_at,
            CASE
              WHEN rate_per_second IS NULL THEN GREATEST(cardinality(recipients) - GREATEST(fanned_upto, 0), 1)
              ELSE 1
            END AS messages
), ready AS MATERIALIZED (
  SELECT *
    FROM due
   WHERE fanned_out_at IS NULL
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
       (SELECT account_id FROM account_in_turn WHERE place = 200) AS next;
