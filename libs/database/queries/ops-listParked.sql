SELECT p.id, p.n, p.submission_id AS "submissionId", p.account_id AS "accountId", p.gateway, p.starts, p.since,
       (SELECT f.error FROM row_failure f WHERE f.kind = 'message' AND f.id = p.id) AS problem
  FROM (
    SELECT id, n, submission_id, account_id, gateway, starts, since
      FROM (
        SELECT submission_id AS id, n, NULL::uuid AS submission_id,
               account_id, gateway,
               starts, claimed_until AS since
          FROM message
         WHERE lane IN ('OTP', 'TRANS', 'PROMO', 'CHAT_OTP', 'CHAT') AND due_at = 'infinity' AND asks IS NULL
      ) AS parked
     WHERE ($3::uuid IS NULL OR account_id = $3)
       AND ($4::text IS NULL OR gateway = $4)
     LIMIT 10000
  ) AS p
 WHERE (p.id, COALESCE(p.n, 0)) > ($1::uuid, $2::integer)
 ORDER BY p.id, COALESCE(p.n, 0)
 LIMIT $5;

SELECT p.id, p.n, p.submission_id AS "submissionId", p.account_id AS "accountId", p.gateway, p.starts, p.since,
       (SELECT f.error FROM row_failure f WHERE f.kind = 'submission' AND f.id = p.id) AS problem
  FROM (
    SELECT id, n, submission_id, account_id, gateway, starts, since
      FROM (
        SELECT id, NULL::integer AS n, NULL::uuid AS submission_id,
               account_id, NULL AS gateway,
               1 AS starts, accepted_at AS since
          FROM submission
         WHERE channel IN ('sms', 'chatapp') AND waits AND due_at = 'infinity'
      ) AS parked
     WHERE ($3::uuid IS NULL OR account_id = $3)
       AND ($4::text IS NULL OR gateway = $4)
     LIMIT 10000
  ) AS p
 WHERE (p.id, COALESCE(p.n, 0)) > ($1::uuid, $2::integer)
 ORDER BY p.id, COALESCE(p.n, 0)
 LIMIT $5;

SELECT p.id, p.n, p.submission_id AS "submissionId", p.account_id AS "accountId", p.gateway, p.starts, p.since,
       (SELECT f.error FROM row_failure f WHERE f.kind = 'report' AND f.id = p.id) AS problem
  FROM (
    SELECT id, n, submission_id, account_id, gateway, starts, since
      FROM (
        SELECT id, n, submission_id,
               (SELECT s.account_id FROM submission s WHERE s.id = message_event.submission_id) AS account_id, gateway,
               starts, received_at AS since
          FROM message_event
         WHERE is_code IN (true, false) AND due_at = 'infinity'
      ) AS parked
     WHERE ($3::uuid IS NULL OR account_id = $3)
       AND ($4::text IS NULL OR gateway = $4)
     LIMIT 10000
  ) AS p
 WHERE (p.id, COALESCE(p.n, 0)) > ($1::uuid, $2::integer)
 ORDER BY p.id, COALESCE(p.n, 0)
 LIMIT $5;

SELECT p.id, p.n, p.submission_id AS "submissionId", p.account_id AS "accountId", p.gateway, p.starts, p.since,
       (SELECT f.error FROM row_failure f WHERE f.kind = 'template' AND f.id = p.id) AS problem
  FROM (
    SELECT id, n, submission_id, account_id, gateway, starts, since
      FROM (
        SELECT id, NULL::integer AS n, NULL::uuid AS submission_id,
               account_id, NULL AS gateway,
               starts, submitted_at AS since
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
      ) AS parked
     WHERE ($3::uuid IS NULL OR account_id = $3)
       AND ($4::text IS NULL OR gateway = $4)
     LIMIT 10000
  ) AS p
 WHERE (p.id, COALESCE(p.n, 0)) > ($1::uuid, $2::integer)
 ORDER BY p.id, COALESCE(p.n, 0)
 LIMIT $5;

SELECT p.id, p.n, p.submission_id AS "submissionId", p.account_id AS "accountId", p.gateway, p.starts, p.since,
       (SELECT f.error FROM row_failure f WHERE f.kind = 'callback' AND f.id = p.id) AS problem
  FROM (
    SELECT id, n, submission_id, account_id, gateway, starts, since
      FROM (
        SELECT id, NULL::integer AS n, NULL::uuid AS submission_id,
               NULL::uuid AS account_id, gateway,
               starts, received_at AS since
          FROM (
                 SELECT *
                   FROM callback
                  WHERE processed_at IS NULL
                  ORDER BY id
                  LIMIT 10000
               ) AS callback
         WHERE processed_at IS NULL AND starts >= 10
      ) AS parked
     WHERE ($3::uuid IS NULL OR account_id = $3)
       AND ($4::text IS NULL OR gateway = $4)
     LIMIT 10000
  ) AS p
 WHERE (p.id, COALESCE(p.n, 0)) > ($1::uuid, $2::integer)
 ORDER BY p.id, COALESCE(p.n, 0)
 LIMIT $5;

SELECT p.id, p.n, p.submission_id AS "submissionId", p.account_id AS "accountId", p.gateway, p.starts, p.since,
       (SELECT f.error FROM row_failure f WHERE f.kind = 'verification' AND f.id = p.id) AS problem
  FROM (
    SELECT id, n, submission_id, account_id, gateway, starts, since
      FROM (
        SELECT id, NULL::integer AS n, NULL::uuid AS submission_id,
               account_id, NULL AS gateway,
               starts, created_at AS since
          FROM (
                 SELECT *
                   FROM verification
                  WHERE status = 'WAITING'
                  ORDER BY id
                  LIMIT 10000
               ) AS verification
         WHERE status = 'WAITING' AND starts >= 10
      ) AS parked
     WHERE ($3::uuid IS NULL OR account_id = $3)
       AND ($4::text IS NULL OR gateway = $4)
     LIMIT 10000
  ) AS p
 WHERE (p.id, COALESCE(p.n, 0)) > ($1::uuid, $2::integer)
 ORDER BY p.id, COALESCE(p.n, 0)
 LIMIT $5;
