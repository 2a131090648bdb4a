SELECT id, chat_account_id::float8 AS "chatAccountId", gateway, sender AS "from", user_id AS "userId",
       recipient AS "to", kind, content,
       reply_to_submission_id AS "replyToId", reply_to_n AS "replyToN",
       sent_at AS "sentAt", received_at AS "receivedAt"
  FROM inbound_message
 WHERE account_id = $1
   AND sender = $3
   AND recipient = $2
   AND id < $4::uuid
 ORDER BY id DESC
 LIMIT $5;
