SAVEPOINT typeorm_1;

WITH looked_at AS MATERIALIZED (
  SELECT verification_id, step
    FROM verification_step
   WHERE status = 'WAITING'
     AND verification_id > $1::uuid
   ORDER BY verification_id
   LIMIT $2::integer
), candidate AS MATERIALIZED (
  SELECT verification_id, step
    FROM looked_at
   UNION
  (SELECT verification_id, step
     FROM verification_step
    WHERE status = 'WAITING'
      AND due_at <= now()
    ORDER BY due_at
    LIMIT $2::integer)
), decided AS MATERIALIZED (
  SELECT vs.verification_id, vs.step, vs.message, vs.sealed, v.account_id, v.recipient, v.expires_at,
         CASE
           WHEN v.status <> 'SENT' THEN lower(v.status)
           WHEN v.expires_at <= now() THEN 'expired'
           WHEN vs.stops_on_delivery AND m.status IN ('DELIVERED', 'READ') THEN 'delivered'
         END AS reason
    FROM candidate
    JOIN verification_step vs ON vs.verification_id = candidate.verification_id AND vs.step = candidate.step
    JOIN verification v ON v.id = vs.verification_id
    LEFT JOIN message m ON m.submission_id = v.submission_id AND m.n = 1
   WHERE vs.status = 'WAITING'
     AND (v.status <> 'SENT'
          OR v.expires_at <= now()
          OR vs.due_at <= now()
          OR m.status = 'FAILED'
          OR vs.stops_on_delivery AND m.status IN ('DELIVERED', 'READ'))
     FOR UPDATE OF vs, v SKIP LOCKED
), moved AS (
  UPDATE verification_step vs
     SET status = CASE WHEN d.reason IS NULL THEN 'SENT' ELSE 'STOPPED' END,
         reason = d.reason,
         submission_id = CASE WHEN d.reason IS NULL THEN uuidv7() END,
         message = NULL,
         sealed = NULL
    FROM decided d
   WHERE vs.verification_id = d.verification_id
     AND vs.step = d.step
     AND vs.status = 'WAITING'
  RETURNING vs.verification_id AS "verifyId", vs.step, vs.submission_id AS "submissionId", d.account_id AS "accountId",
            d.recipient, d.expires_at AS "expiresAt", d.message, d.sealed
)
SELECT place.next, moved.*
  FROM (
    SELECT CASE WHEN count(*) = $2 THEN
             (array_agg(verification_id ORDER BY verification_id DESC))[1]
           END AS next
      FROM looked_at
  ) AS place
  LEFT JOIN moved ON true;

RELEASE SAVEPOINT typeorm_1;
