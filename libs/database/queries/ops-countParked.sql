SELECT (SELECT count(*)::integer
  FROM (
    SELECT
      FROM message
     WHERE lane IN ('OTP', 'TRANS', 'PROMO', 'CHAT_OTP', 'CHAT') AND due_at = 'infinity' AND asks IS NULL
     LIMIT 10000
  ) AS parked) AS message,
(SELECT count(*)::integer
  FROM (
    SELECT
      FROM submission
     WHERE channel IN ('sms', 'chatapp') AND waits AND due_at = 'infinity'
     LIMIT 10000
  ) AS parked) AS submission,
(SELECT count(*)::integer
  FROM (
    SELECT
      FROM message_event
     WHERE is_code IN (true, false) AND due_at = 'infinity'
     LIMIT 10000
  ) AS parked) AS message_event,
(SELECT count(*)::integer
  FROM (
    SELECT
      FROM template
     WHERE status = 'PENDING'
           AND deleted_at IS NULL
           AND NOT EXISTS (
                     SELECT
                       FROM gateway_number gn
                            JOIN gateway g ON g.name = gn.gateway AND g.kind = 'cloud-api' AND g.enabled
                            JOIN chat_sender cs ON cs.msisdn = gn.msisdn
                      WHERE cs.account_id = template.account_id
                        AND cs.chat_account_id = template.chat_account_id
                   )
           AND starts >= 10
     LIMIT 10000
  ) AS parked) AS template,
(SELECT count(*)::integer
  FROM (
    SELECT
      FROM (
             SELECT *
               FROM callback
              WHERE processed_at IS NULL
              ORDER BY id
              LIMIT 10000
           ) AS callback
     WHERE processed_at IS NULL AND starts >= 10
     LIMIT 10000
  ) AS parked) AS callback,
(SELECT count(*)::integer
  FROM (
    SELECT
      FROM (
             SELECT *
               FROM verification
              WHERE status = 'WAITING'
              ORDER BY id
              LIMIT 10000
           ) AS verification
     WHERE status = 'WAITING' AND starts >= 10
     LIMIT 10000
  ) AS parked) AS verification;
