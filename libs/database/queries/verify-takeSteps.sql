SAVEPOINT typeorm_1;

WITH decided AS MATERIALIZED (
  SELECT vs.verification_id, vs.step, vs.message, vs.sealed, v.account_id, v.recipient, v.expires_at,
         CASE
           WHEN v.status <> 'SENT' THEN lower(v.status)
           WHEN v.expires_at <= now() THEN 'expired'
           WHEN vs.stops_on_delivery AND m.status IN ('DELIVERED', 'READ') THEN 'delivered'
         END AS reason
  FROM unnest($1::uuid[], $2::smallint[])
          AS wanted(verification_id, step)
   JOIN verification_step vs ON vs.verification_id = wanted.verification_id AND vs.step = wanted.step
   JOIN verification v ON v.id = vs.verification_id
   LEFT JOIN message m ON m.submission_id = v.submission_id AND m.n = 1
  WHERE vs.status = 'WAITING'
    AND (v.status <> 'SENT'
         OR v.expires_at <= now()
         OR vs.due_at <= now()
         OR m.status = 'FAILED'
         OR vs.stops_on_delivery AND m.status IN ('DELIVERED', 'READ'))
     FOR UPDATE OF vs, v SKIP LOCKED
)
UPDATE verification_step vs
   SET status = CASE WHEN d.reason IS NULL THEN 'SENT' ELSE 'STOPPED' END,
       reason = d.reason,
       due_at = CASE WHEN d.reason IS NULL THEN LEAST(vs.due_at, now()) ELSE vs.due_at END,
       submission_id = CASE WHEN d.reason IS NULL THEN uuidv7() END,
       message = NULL,
       sealed = NULL
  FROM decided d
 WHERE vs.verification_id = d.verification_id
   AND vs.step = d.step
   AND vs.status = 'WAITING'
RETURNING vs.verification_id AS "verifyId", vs.step, vs.submission_id AS "submissionId", d.account_id AS "accountId",
          d.recipient, d.expires_at AS "expiresAt", d.message, d.sealed;

RELEASE SAVEPOINT typeorm_1;
