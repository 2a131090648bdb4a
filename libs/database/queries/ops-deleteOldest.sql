WITH gone AS (
  DELETE FROM push_attempt
   WHERE (id) IN (
     SELECT id
       FROM push_attempt
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
      LIMIT 10000
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM push
   WHERE (webhook_id, report_id) IN (
     SELECT oldest.webhook_id, oldest.report_id
       FROM webhook w,
            LATERAL (
              SELECT webhook_id, report_id
                FROM push
               WHERE webhook_id = w.id
                 AND report_id < (
                                   lpad(
                                     to_hex((
                                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                                     )::bigint), 12, '0'
                                   ) || '70008000000000000000'
                                 )::uuid
               ORDER BY report_id
               LIMIT 10000
            ) AS oldest
      LIMIT 10000
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM message_event
   WHERE (id) IN (
     SELECT id
       FROM message_event
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
      LIMIT 10000
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM inbound_message
   WHERE (id) IN (
     SELECT id
       FROM inbound_message
      WHERE id < (
                   lpad(
                     to_hex((
                       extract(epoch FROM now() - make_interval(days => $1)) * 1000
                     )::bigint), 12, '0'
                   ) || '70008000000000000000'
                 )::uuid
      ORDER BY id
      LIMIT 10000
   )
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;

WITH oldest AS (
  SELECT id, cardinality(recipients) AS messages
    FROM submission
   WHERE id < (
                lpad(
                  to_hex((
                    extract(epoch FROM now() - make_interval(days => $1)) * 1000
                  )::bigint), 12, '0'
                ) || '70008000000000000000'
              )::uuid
     AND fanned_out_at < now() - make_interval(days => $1)
   ORDER BY id
   LIMIT 10000
), old AS MATERIALIZED (
  -- as many submissions as have a batch of messages, the last in full
  SELECT id
    FROM (SELECT id, sum(messages) OVER (ORDER BY id) - messages AS others FROM oldest) AS counted
   WHERE others < 10000
), message_gone AS (
  DELETE FROM message
   USING old
   WHERE submission_id = old.id
  RETURNING account_id, recipient, submission_id, n
), recipient_gone AS (
  DELETE FROM message_recipient mr
   USING message_gone m
   WHERE mr.account_id = m.account_id
     AND mr.recipient = m.recipient
     AND mr.submission_id = m.submission_id
     AND mr.n = m.n
), click_gone AS (
  DELETE FROM short_link_click
   USING old
   WHERE submission_id = old.id
), total_gone AS (
  DELETE FROM short_link_total
   USING old
   WHERE submission_id = old.id
), gone AS (
  DELETE FROM submission s
   USING old
   WHERE s.id = old.id
  RETURNING s.channel, s.account_id, s.sender, s.recipients
), pair_gone AS (
  DELETE FROM chat_pair cp
   USING gone
   WHERE gone.channel = 'chatapp'
     AND cp.account_id = gone.account_id
     AND cp.sender = gone.sender
     AND cp.recipient = gone.recipients[1]
     AND cp.paced_until < now() - make_interval(days => $1)
     AND COALESCE(cp.last_inbound_at < now() - make_interval(days => $1), true)
)
SELECT count(*)::integer AS count FROM gone;

WITH gone AS (
  DELETE FROM sender_assignment sa
   USING (
     SELECT msisdn
       FROM sender_assignment
      WHERE quarantined_until < now() - make_interval(days => $1)
      ORDER BY quarantined_until
      LIMIT 10000
   ) AS old
   WHERE sa.msisdn = old.msisdn
     AND sa.quarantined_until < now() - make_interval(days => $1)
  RETURNING 1
)
SELECT count(*)::integer AS count FROM gone;
