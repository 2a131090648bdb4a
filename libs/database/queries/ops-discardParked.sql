WITH locked AS MATERIALIZED (
  SELECT submission_id, n
    FROM message
   WHERE (submission_id, n) IN (SELECT id, n FROM unnest($1::uuid[], $2::integer[])
                                                    AS wanted(id, n))
     AND lane IN ('OTP', 'TRANS', 'PROMO', 'CHAT_OTP', 'CHAT') AND due_at = 'infinity' AND asks IS NULL
   ORDER BY submission_id, n
     FOR UPDATE
), ended AS (
  UPDATE message m
     SET (status, err_code, status_description, failed_at, moved_by) = (
           SELECT CASE WHEN ending IS NULL THEN 'PENDING' ELSE 'FAILED' END,
                  CASE ending
                    WHEN 'expired' THEN '901'
                    WHEN 'cancelled' THEN '902'
                    WHEN 'opted_out' THEN '903'
                    WHEN 'sender_gone' THEN '904'
                  END,
                  CASE ending
                    WHEN 'expired' THEN 'Expired before it could be submitted'
                    WHEN 'cancelled' THEN 'Cancelled before it was submitted'
                    WHEN 'opted_out' THEN 'The recipient has opted out'
                    WHEN 'sender_gone' THEN 'The sender is no longer registered'
                  END,
                  CASE WHEN ending IS NOT NULL THEN now() END,
                  CASE WHEN ending IS NOT NULL THEN ARRAY[uuidv7()] END
             FROM (SELECT 'cancelled' AS ending) AS given
         ),
         due_at = NULL
   WHERE (submission_id, n) IN (SELECT submission_id, n FROM locked)
  RETURNING m.submission_id, m.n, m.status, m.err_code, m.status_description, m.moved_by
), reported AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT moved_by[cardinality(moved_by)], '', submission_id, n,
         'FAILED', err_code, status_description, now()
    FROM ended
   WHERE status = 'FAILED'
  RETURNING id, submission_id, (SELECT set_config('synchronous_commit', 'on', true))
)
SELECT submission_id AS id, n, moved_by[1] AS "reportId" FROM ended;

WITH locked AS MATERIALIZED (
  SELECT id
    FROM submission
   WHERE (id) IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                                   AS wanted(id, n))
     AND channel IN ('sms', 'chatapp') AND waits AND due_at = 'infinity'
   ORDER BY id
     FOR UPDATE
), ended AS (
  UPDATE submission
     SET cancelled_at = now(), fanned_out_at = now(), held_until = NULL, waits = false, listed = true, sealed = NULL
   WHERE (id) IN (SELECT id FROM locked)
  RETURNING id, 0 AS n
), noted AS (
  INSERT INTO discarded_send (submission_id, account_id)
  SELECT id, account_id
    FROM submission
   WHERE id IN (SELECT id FROM ended)
   ORDER BY id
), woken AS (
  UPDATE message m
     SET held_until = NULL, claimed_until = now(), due_at = now()
    FROM (
      SELECT submission_id, n
        FROM message
       WHERE submission_id IN (SELECT id FROM locked)
         AND CASE WHEN
               status = 'PENDING' AND held_until IS NOT NULL
             THEN true END
       ORDER BY submission_id, n
         FOR UPDATE SKIP LOCKED
    ) AS held
   WHERE m.submission_id = held.submission_id
     AND m.n = held.n
)
SELECT id, n, NULL::uuid AS "reportId" FROM ended;

WITH locked AS MATERIALIZED (
  SELECT id
    FROM message_event
   WHERE (id) IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                                   AS wanted(id, n))
     AND is_code IN (true, false) AND due_at = 'infinity'
   ORDER BY id
     FOR UPDATE
), ended AS (
  UPDATE message_event
     SET settled_at = now(), due_at = NULL
   WHERE (id) IN (SELECT id FROM locked)
  RETURNING id, 0 AS n
)
SELECT id, n, NULL::uuid AS "reportId" FROM ended;

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
), rejected AS (
  UPDATE template
     SET status = 'REJECTED', rejection_reason = $3, updated_at = now()
   WHERE id IN (SELECT id FROM locked)
  RETURNING id, account_id, version
), noted AS (
  INSERT INTO template_event (id, template_id, account_id, version, event, actor, reason, created_at)
  SELECT uuidv7(), id, account_id, version, 'rejected', $4, $3, now()
    FROM rejected
)
SELECT id, 0 AS n, NULL::uuid AS "reportId" FROM rejected;

WITH locked AS MATERIALIZED (
  SELECT id
    FROM callback
   WHERE (id) IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                                   AS wanted(id, n))
     AND processed_at IS NULL AND starts >= 10
   ORDER BY id
     FOR UPDATE
), ended AS (
  UPDATE callback
     SET processed_at = now(), problem = $3
   WHERE (id) IN (SELECT id FROM locked)
  RETURNING id, 0 AS n
)
SELECT id, n, NULL::uuid AS "reportId" FROM ended;

WITH locked AS MATERIALIZED (
  SELECT id
    FROM verification
   WHERE (id) IN (SELECT id FROM unnest($1::uuid[], $2::integer[])
                                   AS wanted(id, n))
     AND status = 'WAITING' AND starts >= 10
   ORDER BY id
     FOR UPDATE
), ended AS (
  UPDATE verification
     SET status = 'EXPIRED'
   WHERE (id) IN (SELECT id FROM locked)
  RETURNING id, 0 AS n
)
SELECT id, n, NULL::uuid AS "reportId" FROM ended;
