SELECT s.channel, s.lane, s.content, s.custom -> ($3::integer - 1) AS values,
       cardinality(s.recipients) AS total, m.gateway_message_id AS "gatewayMessageId"
  FROM submission s
  LEFT JOIN message m ON m.submission_id = s.id AND m.n = $3
 WHERE s.id = $2
   AND s.account_id = $1
   AND $3 <= cardinality(s.recipients);
