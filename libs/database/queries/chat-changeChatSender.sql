UPDATE chat_sender
   SET messages_per_second = $4
 WHERE msisdn = $1
   AND chat_account_id = $2
   AND account_id = $3
RETURNING msisdn, messages_per_second AS "messagesPerSecond", created_at AS "createdAt";
