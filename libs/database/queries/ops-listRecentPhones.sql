SELECT recipient, max(received_at) AS "lastReceivedAt"
  FROM (
    SELECT account_id, recipient, received_at
      FROM phone_message
     WHERE received_at > now() - interval '1 hour'
     ORDER BY received_at DESC
     LIMIT 2000
  ) AS recent
 WHERE account_id = $1
 GROUP BY recipient
 ORDER BY max(received_at) DESC, recipient
 LIMIT 50;
