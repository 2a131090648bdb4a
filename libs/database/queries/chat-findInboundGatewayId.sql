SELECT gateway_message_id AS id
  FROM inbound_message
 WHERE id = $1
   AND account_id = $2
   AND recipient = $3
   AND $4 IN (sender, user_id);
