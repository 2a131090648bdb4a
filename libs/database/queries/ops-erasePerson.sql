SET LOCAL enable_seqscan = on;

SET LOCAL enable_hashjoin = on;

WITH known AS (
  SELECT $1::text COLLATE "C" AS identity
   UNION
  SELECT msisdn
    FROM chat_user
   WHERE user_id = $1
)
SELECT identity
  FROM known
 UNION
SELECT cu.user_id
  FROM known
  JOIN chat_user cu ON cu.msisdn = known.identity;

SELECT m.submission_id AS "submissionId", m.n, m.status = 'PENDING' AS "isOpen"
  FROM account a
  JOIN message m ON m.account_id = a.id AND m.recipient COLLATE "C" = $1;

SELECT count(*)::integer AS unsent
  FROM submission
 WHERE $1 = ANY (recipients)
   AND fanned_out_at IS NULL
   AND id IN (
     SELECT id
       FROM submission
      WHERE waits
     UNION ALL
     SELECT id
       FROM ready_sms
     UNION ALL
     SELECT unnest(ids)
       FROM ready_batch
     UNION ALL
     SELECT id
       FROM ready_chat
   );

SELECT id
  FROM submission
 WHERE cancelled_at IS NOT NULL
   AND fanned_out_at IS NOT NULL
   AND $1 = ANY (recipients[fanned_upto + 1:]);

SELECT count(*)::integer AS unread
  FROM callback
 WHERE NOT (processed_at IS NOT NULL OR starts >= 10)
   AND position(convert_to($1, 'UTF8') IN body) > 0;

SELECT v.id,
       v.status = 'WAITING' OR EXISTS (
         SELECT
           FROM verification_step vs
          WHERE vs.verification_id = v.id
            AND vs.status = 'WAITING'
       ) AS "isOpen"
  FROM verification v
 WHERE v.recipient = $1;

SELECT i.id
  FROM account a
  JOIN inbound_message i ON i.account_id = a.id AND i.sender = $1;

SELECT e.id, e.settled_at IS NULL AND e.starts < 10 AS "isOpen"
  FROM unnest($1::uuid[], $2::integer[])
         AS sent(submission_id, n)
  JOIN message_event e ON e.submission_id = sent.submission_id AND e.n = sent.n
UNION ALL
SELECT e.id, e.settled_at IS NULL AND e.starts < 10 AS "isOpen"
  FROM message_event e
 WHERE e.submission_id = ANY ($3::uuid[])
   AND e.n = 0;

SELECT webhook_id AS "webhookId", report_id AS "reportId"
  FROM push
 WHERE report_id = ANY ($1::uuid[]);

DELETE FROM callback
 WHERE (processed_at IS NOT NULL OR starts >= 10)
   AND position(convert_to($1, 'UTF8') IN body) > 0;

DELETE FROM orphan_report
 WHERE recipient = $1
    OR strpos(content::text, $1) > 0;

DELETE FROM inbound_segment
 WHERE sender = $1;

DELETE FROM gateway_message_id g
 WHERE g.recipient = $3
   AND NOT EXISTS (
     SELECT
       FROM message m
      WHERE m.submission_id = g.submission_id
        AND m.n = g.n
        AND NOT EXISTS (
          SELECT
            FROM unnest($1::uuid[], $2::integer[])
                   AS sent(submission_id, n)
           WHERE sent.submission_id = m.submission_id
             AND sent.n = m.n
        )
   );

DELETE FROM routing_event
 USING unnest($1::uuid[], $2::integer[])
         AS sent(submission_id, n)
 WHERE routing_event.submission_id = sent.submission_id
   AND routing_event.n = sent.n;

DELETE FROM short_link
 USING unnest($1::uuid[], $2::integer[])
         AS sent(submission_id, n)
 WHERE short_link.submission_id = sent.submission_id
   AND short_link.n = sent.n;

DELETE FROM short_link_click
 USING unnest($1::uuid[], $2::integer[])
         AS sent(submission_id, n)
 WHERE short_link_click.submission_id = sent.submission_id
   AND short_link_click.n = sent.n;

DELETE FROM short_link_total
 USING unnest($1::uuid[], $2::integer[])
         AS sent(submission_id, n)
 WHERE short_link_total.submission_id = sent.submission_id
   AND short_link_total.n = sent.n;

DELETE FROM phone_message
 USING unnest($1::uuid[], $2::integer[])
         AS sent(submission_id, n)
 WHERE phone_message.submission_id = sent.submission_id
   AND phone_message.n = sent.n;

DELETE FROM message_recipient
 USING unnest($1::uuid[], $2::integer[])
         AS sent(submission_id, n)
 WHERE message_recipient.submission_id = sent.submission_id
   AND message_recipient.n = sent.n;

DELETE FROM inbound_message
 WHERE id = ANY ($1::uuid[]);

DELETE FROM chat_user
 WHERE msisdn = $1;

DELETE FROM chat_user
 WHERE user_id = $1;

DELETE FROM chat_pair
 WHERE recipient = $1;

DELETE FROM opt_out_end
 WHERE recipient = $1;

SELECT
  FROM verification_number
 WHERE recipient = ANY ($1::text[])
 ORDER BY account_id, recipient
   FOR UPDATE;

DELETE FROM verification_number vn
 WHERE vn.recipient = ANY ($1::text[])
   AND NOT EXISTS (
     SELECT
       FROM verification v
      WHERE v.account_id = vn.account_id
        AND v.recipient = vn.recipient
        AND v.id <> ALL ($2::uuid[])
   );

DELETE FROM verification_step
 WHERE verification_id = ANY ($1::uuid[]);

DELETE FROM verification
 WHERE id = ANY ($1::uuid[]);

DELETE FROM message_event
 WHERE id = ANY ($1::uuid[]);

DELETE FROM push_attempt
 USING unnest($1::uuid[], $2::uuid[])
         AS pushed(webhook_id, report_id)
 WHERE push_attempt.webhook_id = pushed.webhook_id
   AND push_attempt.report_id = pushed.report_id;

DELETE FROM push
 USING unnest($1::uuid[], $2::uuid[])
         AS pushed(webhook_id, report_id)
 WHERE push.webhook_id = pushed.webhook_id
   AND push.report_id = pushed.report_id;

DELETE FROM message
 USING unnest($1::uuid[], $2::integer[])
         AS sent(submission_id, n)
 WHERE message.submission_id = sent.submission_id
   AND message.n = sent.n;

DELETE FROM discarded_send
 WHERE submission_id IN (
   SELECT id
     FROM submission
    WHERE id = ANY ($1::uuid[])
          AND recipients <@ ARRAY[$2::text]
 );

DELETE FROM submission
 WHERE id = ANY ($1::uuid[])
       AND recipients <@ ARRAY[$2::text];

UPDATE submission s
   SET recipients = array_replace(recipients, $2::text, '*******0000'),
       custom = (
         SELECT jsonb_agg(CASE WHEN recipient = $2::text THEN '[]' ELSE value END ORDER BY i)
           FROM ROWS FROM (jsonb_array_elements(s.custom), unnest(s.recipients))
                WITH ORDINALITY AS each (value, recipient, i)
          WHERE value IS NOT NULL
       )
 WHERE id = ANY ($1::uuid[])
   AND $2::text = ANY (recipients);
