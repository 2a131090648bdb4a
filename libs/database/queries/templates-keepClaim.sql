WITH kept AS (
  UPDATE template_registration
     SET due_at = now() + make_interval(secs => $5)
   WHERE template_id = $1
         AND claim_id = $2
         AND starts = $3
         AND gateway = $4
  RETURNING template_id
)
SELECT template_id FROM kept;
