(SELECT 'campaign' AS kind, campaign AS id, campaign AS label, NULL AS detail
  FROM submission
 WHERE account_id = $1
   AND campaign = $2
 LIMIT 1)
UNION ALL
(SELECT 'reference', client_ref, client_ref, NULL
  FROM submission
 WHERE account_id = $1
   AND client_ref = $2
 LIMIT 1)
UNION ALL
(SELECT 'webhook' AS kind, id::text AS id, name AS label, endpoint AS detail
  FROM webhook
 WHERE account_id = $1 AND deleted_at IS NULL
   AND position(lower($2) IN lower(name)) > 0
 ORDER BY lower(name) = lower($2) DESC, position(lower($2) IN lower(name)), name
 LIMIT 5)
UNION ALL
(SELECT 'template' AS kind, id::text AS id, name AS label, language || ', ' || lower(status) AS detail
  FROM template
 WHERE account_id = $1 AND deleted_at IS NULL
   AND position(lower($2) IN lower(name)) > 0
 ORDER BY lower(name) = lower($2) DESC, position(lower($2) IN lower(name)), name
 LIMIT 5)
UNION ALL
(SELECT 'sms-template' AS kind, id::text AS id, name AS label, sender AS detail
  FROM sms_template
 WHERE account_id = $1
   AND position(lower($2) IN lower(name)) > 0
 ORDER BY lower(name) = lower($2) DESC, position(lower($2) IN lower(name)), name
 LIMIT 5)
UNION ALL
(SELECT 'chat-account' AS kind, id::text AS id, name AS label, NULL AS detail
  FROM chat_account
 WHERE account_id = $1 AND deleted_at IS NULL
   AND position(lower($2) IN lower(name)) > 0
 ORDER BY lower(name) = lower($2) DESC, position(lower($2) IN lower(name)), name
 LIMIT 5)
UNION ALL
(SELECT 'verification-config' AS kind, id::text AS id, name AS label, NULL AS detail
  FROM verification_config
 WHERE account_id = $1 AND deleted_at IS NULL
   AND position(lower($2) IN lower(name)) > 0
 ORDER BY lower(name) = lower($2) DESC, position(lower($2) IN lower(name)), name
 LIMIT 5)
UNION ALL
(SELECT 'gateway' AS kind, name AS id, name AS label, kind AS detail
  FROM gateway
 WHERE $1::uuid IS NOT NULL
   AND position(lower($2) IN lower(name)) > 0
 ORDER BY lower(name) = lower($2) DESC, position(lower($2) IN lower(name)), name
 LIMIT 5)
UNION ALL
(SELECT 'route' AS kind, id::text AS id, name AS label, NULL AS detail
  FROM route
 WHERE $1::uuid IS NOT NULL
   AND position(lower($2) IN lower(name)) > 0
 ORDER BY lower(name) = lower($2) DESC, position(lower($2) IN lower(name)), name
 LIMIT 5);
