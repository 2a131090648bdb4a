SELECT last_inbound_at AS at
  FROM chat_pair
 WHERE account_id = $1
   AND sender = $2
   AND recipient = $3;
