SELECT m.gateway_message_id AS id
  FROM message m
  JOIN submission s ON s.id = m.submission_id
 WHERE m.submission_id = $1
   AND m.n = $2
   AND m.account_id = $3
   AND s.sender = $4
   AND m.recipient = $5;
