(SELECT 'number' AS kind, recipient AS id, recipient AS label, NULL AS detail
   FROM message
  WHERE account_id = $1
    AND recipient COLLATE "C" = $2
  LIMIT 1)
 UNION ALL
(SELECT 'message', submission_id || ':' || n, recipient, initcap(status)
   FROM message
  WHERE account_id = $1
    AND recipient COLLATE "C" = $2
  ORDER BY ((uuid_extract_timestamp(submission_id) AT TIME ZONE 'UTC')::date) DESC, submission_id DESC, n DESC
  LIMIT 5)
 UNION ALL
(SELECT 'conversation', i.recipient || '/' || i.sender, i.sender, i.recipient
   FROM (
     SELECT DISTINCT recipient, sender
       FROM (
         SELECT recipient, sender
           FROM inbound_message
          WHERE account_id = $1
            AND sender = $2
          ORDER BY account_id DESC, sender DESC, id DESC
          LIMIT 100
       ) AS newest
   ) AS i
  LIMIT 5)
 UNION ALL
(SELECT 'opt-out', id::text, recipient, NULLIF(sender, '')
   FROM opt_out
  WHERE account_id = $1
    AND recipient = $2
  LIMIT 5)
 UNION ALL
SELECT 'sender', chat_account_id || '/' || msisdn, msisdn, NULL
  FROM chat_sender
 WHERE account_id = $1
   AND msisdn = $2;
