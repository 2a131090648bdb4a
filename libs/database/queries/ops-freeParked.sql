WITH locked AS MATERIALIZED (
  SELECT submission_id, n
    FROM message
   WHERE (submission_id, n) IN (SELECT id, n FROM unnest($1::uuid[], $2::integer[])
                                                    AS wanted(id, n))
     AND lane IN ('OTP', 'TRANS', 'PROMO', 'CHAT_OTP', 'CHAT') AND due_at = 'infinity' AND asks IS NULL
   ORDER BY submission_id, n
     FOR UPDATE
)
UPDATE message
   SET throttles = LEAST(throttles + starts, 30000),
       starts = 0, due_at = now(), claimed_until = now()
 WHERE (submission_id, n) IN (SELECT submission_id, n FROM locked)
RETURNING submission_id AS id, n;

WITH locked AS MATERIALIZED (
  SELECT id
    FROM submission
   WHERE (id) IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                                   AS wanted(id, n))
     AND channel IN ('sms', 'chatapp') AND waits AND due_at = 'infinity'
   ORDER BY id
     FOR UPDATE
)
UPDATE submission
   SET due_at = now()
 WHERE (id) IN (SELECT id FROM locked)
RETURNING id, 0 AS n;

WITH locked AS MATERIALIZED (
  SELECT id
    FROM message_event
   WHERE (id) IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                                   AS wanted(id, n))
     AND is_code IN (true, false) AND due_at = 'infinity'
   ORDER BY id
     FOR UPDATE
)
UPDATE message_event
   SET starts = 0, due_at = now()
 WHERE (id) IN (SELECT id FROM locked)
RETURNING id, 0 AS n;

WITH locked AS MATERIALIZED (
  SELECT id
    FROM template
   WHERE (id) IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                                   AS wanted(id, n))
     AND status = 'PENDING'
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
   ORDER BY id
     FOR UPDATE
)
UPDATE template
   SET starts = 0
 WHERE (id) IN (SELECT id FROM locked)
RETURNING id, 0 AS n;

WITH locked AS MATERIALIZED (
  SELECT id
    FROM callback
   WHERE (id) IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                                   AS wanted(id, n))
     AND processed_at IS NULL AND starts >= 10
   ORDER BY id
     FOR UPDATE
)
UPDATE callback
   SET starts = 0
 WHERE (id) IN (SELECT id FROM locked)
RETURNING id, 0 AS n;

WITH locked AS MATERIALIZED (
  SELECT id
    FROM verification
   WHERE (id) IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                                   AS wanted(id, n))
     AND status = 'WAITING' AND starts >= 10
   ORDER BY id
     FOR UPDATE
)
UPDATE verification
   SET starts = 0
 WHERE (id) IN (SELECT id FROM locked)
RETURNING id, 0 AS n;
