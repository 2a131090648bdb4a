SELECT 'send' AS kind, id::text, sender AS label,
       cardinality(recipients) || CASE cardinality(recipients) WHEN 1 THEN ' message' ELSE ' messages' END AS detail
  FROM submission
 WHERE id = $2 AND account_id = $1
 UNION ALL
SELECT CASE WHEN chat_account_id IS NULL THEN 'sms-inbound' ELSE 'inbound' END, id::text, sender, kind
  FROM inbound_message
 WHERE id = $2 AND account_id = $1
 UNION ALL
SELECT 'conversation', recipient || '/' || sender, sender, recipient
  FROM inbound_message
 WHERE id = $2 AND account_id = $1
 UNION ALL
SELECT 'verification', id::text, recipient, lower(status)
  FROM verification
 WHERE id = $2 AND account_id = $1
 UNION ALL
SELECT 'opt-out', id::text, recipient, NULLIF(sender, '')
  FROM opt_out
 WHERE id = $2 AND account_id = $1
 UNION ALL
SELECT 'message', e.submission_id || ':' || e.n, m.recipient, initcap(m.status)
  FROM message_event e
  JOIN message m ON m.submission_id = e.submission_id AND m.n = e.n
 WHERE e.id = $2 AND m.account_id = $1
 UNION ALL
SELECT 'webhook', id::text, name, endpoint
  FROM webhook
 WHERE id = $2 AND account_id = $1 AND deleted_at IS NULL
 UNION ALL
SELECT 'template', id::text, name, language || ', ' || lower(status)
  FROM template
 WHERE id = $2 AND account_id = $1 AND deleted_at IS NULL
 UNION ALL
SELECT 'sms-template', id::text, name, sender
  FROM sms_template
 WHERE id = $2 AND account_id = $1
 UNION ALL
SELECT 'verification-config', id::text, name, NULL
  FROM verification_config
 WHERE id = $2 AND account_id = $1 AND deleted_at IS NULL
 UNION ALL
SELECT 'gateway', name, name, kind
  FROM gateway
 WHERE id = $2 AND $1::uuid IS NOT NULL
 UNION ALL
SELECT 'route', id::text, name, NULL
  FROM route
 WHERE id = $2 AND $1::uuid IS NOT NULL;
