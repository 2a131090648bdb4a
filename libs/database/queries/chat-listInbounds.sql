WITH candidate AS MATERIALIZED (
  SELECT *
    FROM inbound_message
   WHERE account_id = $1
     AND $2::text IS NULL
     AND id < LEAST($3::uuid, $4::uuid)
     AND id >= $5::uuid
   ORDER BY id DESC
   LIMIT $6
), page AS (
  SELECT id, chat_account_id::float8 AS "chatAccountId", gateway, sender AS "from", user_id AS "userId",
         recipient AS "to", kind, content,
         reply_to_submission_id AS "replyToId", reply_to_n AS "replyToN",
         sent_at AS "sentAt", received_at AS "receivedAt", true AS matches
    FROM candidate
   WHERE ($7::text IS NULL OR recipient = $7)
     AND ($8::bigint IS NULL OR chat_account_id = $8)
     AND (chat_account_id IS NULL) = ($10 = 'sms')
   ORDER BY id DESC
   LIMIT $9
), edge AS (
  SELECT id, chat_account_id::float8 AS "chatAccountId", gateway, sender AS "from", user_id AS "userId",
         recipient AS "to", kind, content,
         reply_to_submission_id AS "replyToId", reply_to_n AS "replyToN",
         sent_at AS "sentAt", received_at AS "receivedAt", false AS matches
    FROM candidate
   WHERE (SELECT count(*) FROM candidate) = $6
   ORDER BY id
   LIMIT 1
)
SELECT * FROM page
 UNION ALL
SELECT * FROM edge;

WITH candidate AS MATERIALIZED (
  SELECT *
    FROM inbound_message
   WHERE account_id = $1
     AND sender = $2
     AND id < LEAST($3::uuid, $4::uuid)
     AND id >= $5::uuid
   ORDER BY id DESC
   LIMIT $6
), page AS (
  SELECT id, chat_account_id::float8 AS "chatAccountId", gateway, sender AS "from", user_id AS "userId",
         recipient AS "to", kind, content,
         reply_to_submission_id AS "replyToId", reply_to_n AS "replyToN",
         sent_at AS "sentAt", received_at AS "receivedAt", true AS matches
    FROM candidate
   WHERE ($7::text IS NULL OR recipient = $7)
     AND ($8::bigint IS NULL OR chat_account_id = $8)
     AND (chat_account_id IS NULL) = ($10 = 'sms')
   ORDER BY id DESC
   LIMIT $9
), edge AS (
  SELECT id, chat_account_id::float8 AS "chatAccountId", gateway, sender AS "from", user_id AS "userId",
         recipient AS "to", kind, content,
         reply_to_submission_id AS "replyToId", reply_to_n AS "replyToN",
         sent_at AS "sentAt", received_at AS "receivedAt", false AS matches
    FROM candidate
   WHERE (SELECT count(*) FROM candidate) = $6
   ORDER BY id
   LIMIT 1
)
SELECT * FROM page
 UNION ALL
SELECT * FROM edge;
