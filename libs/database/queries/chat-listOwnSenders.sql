(SELECT 'chatapp' AS channel, cs.msisdn AS sender, ca.id::float8 AS "chatAccountId",
       ca.name AS "chatAccountName", ca.session_window AS "sessionWindow", NULL::timestamptz AS "lastUsedAt"
  FROM chat_account ca
  JOIN chat_sender cs ON cs.chat_account_id = ca.id
 WHERE ca.account_id = $1
   AND ca.deleted_at IS NULL
 ORDER BY cs.msisdn
 LIMIT 1000)
UNION ALL
(SELECT 'sms', latest.sender, NULL, NULL, NULL, max(latest.accepted_at)
  FROM (
    SELECT s.channel, s.sender, s.accepted_at
      FROM submission s
     WHERE s.account_id = $1
     ORDER BY s.account_id DESC, s.id DESC
     LIMIT 500
  ) AS latest
 WHERE latest.channel = 'sms'
 GROUP BY latest.sender
 ORDER BY max(latest.accepted_at) DESC);
