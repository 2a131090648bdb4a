WITH in_order AS MATERIALIZED (
  SELECT verification_id, step
    FROM verification_step
   WHERE status = 'WAITING'
     AND verification_id > $1::uuid
   ORDER BY verification_id
   LIMIT $2::integer
), wanted AS MATERIALIZED (
  SELECT verification_id, step
    FROM in_order
   UNION
  (SELECT verification_id, step
     FROM verification_step
    WHERE status = 'WAITING'
      AND due_at <= now()
    ORDER BY due_at
    LIMIT $2::integer)
)
SELECT (SELECT CASE WHEN count(*) = $2 THEN
                 (array_agg(verification_id ORDER BY verification_id DESC))[1]
               END
          FROM in_order) AS next,
       COALESCE((
         SELECT json_agg(json_build_object('verifyId', vs.verification_id, 'step', vs.step))
         FROM wanted
          JOIN verification_step vs ON vs.verification_id = wanted.verification_id AND vs.step = wanted.step
          JOIN verification v ON v.id = vs.verification_id
          LEFT JOIN message m ON m.submission_id = v.submission_id AND m.n = 1
         WHERE vs.status = 'WAITING'
           AND (v.status <> 'SENT'
                OR v.expires_at <= now()
                OR vs.due_at <= now()
                OR m.status = 'FAILED'
                OR vs.stops_on_delivery AND m.status IN ('DELIVERED', 'READ'))
       ), '[]') AS steps;
