WITH candidate AS MATERIALIZED (
  SELECT *
    FROM inbound_message
   WHERE (account_id, id) >= ($1::uuid, $3::uuid)
     AND (account_id, id) < ($1::uuid, $2::uuid)
     AND ($7::text IS NULL OR sender = $7)
   ORDER BY account_id DESC, id DESC
   LIMIT 1000
), page AS (
  -- a message is the newest of its conversation
  SELECT *
    FROM candidate c
   WHERE ($4::text IS NULL OR recipient = $4)
     AND ($5::text IS NULL OR (chat_account_id IS NULL) = ($5 = 'sms'))
     AND NOT EXISTS (
       SELECT
         FROM inbound_message later
        WHERE later.account_id = $1
          AND later.sender = c.sender
          AND later.id > c.id
          AND later.recipient = c.recipient
     )
   ORDER BY id DESC
   LIMIT $6::integer
), edge AS (
  SELECT CASE
           WHEN (SELECT count(*) FROM candidate) = 1000
           THEN (SELECT min(id::text) FROM candidate)
         END AS edge
)
SELECT i.*, cp.last_inbound_at AS "lastInboundAt", edge.edge,
       answer.submission_id AS "answerId", answer.n AS "answerN", answer.status AS "answerStatus"
  FROM edge
  LEFT JOIN (SELECT id, chat_account_id::float8 AS "chatAccountId", gateway, sender AS "from", user_id AS "userId",
                    recipient AS "to", kind, content,
                    reply_to_submission_id AS "replyToId", reply_to_n AS "replyToN",
                    sent_at AS "sentAt", received_at AS "receivedAt" FROM page) AS i ON true
  LEFT JOIN chat_pair cp ON cp.account_id = $1 AND cp.sender = i."to" AND cp.recipient = i."from"
  LEFT JOIN LATERAL (
    SELECT m.submission_id, m.n, m.status
      FROM (
        SELECT submission_id, n, status
          FROM message
         WHERE account_id = $1
           AND recipient COLLATE "C" = i."from"
         ORDER BY ((uuid_extract_timestamp(submission_id) AT TIME ZONE 'UTC')::date) DESC, submission_id DESC, n DESC
         LIMIT 20
      ) AS m
      JOIN submission s ON s.id = m.submission_id
     WHERE s.sender = i."to"
     ORDER BY m.submission_id DESC, m.n DESC
     LIMIT 1
  ) AS answer ON true
 ORDER BY i.id DESC;
