SELECT COALESCE(
         m.gateway_message_id,
         -- a simulator gives no ids, and knows a message by ours
         CASE
           WHEN m.sent_at IS NOT NULL
            AND m.unconfirmed_at IS NULL
            AND (
              m.gateway = 'chat-simulator'
              OR EXISTS (SELECT FROM gateway g WHERE g.name = m.gateway AND g.kind = 'simulator')
            )
           THEN m.submission_id || ':' || m.n
         END
       ) AS id
  FROM message m
  JOIN submission s ON s.id = m.submission_id
 WHERE m.submission_id = $1
   AND m.n = $2
   AND m.account_id = $3
   AND s.sender = $4
   AND m.recipient = $5;
