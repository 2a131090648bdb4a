WITH kept AS (
  UPDATE template_registration
     SET due_at = now() + make_interval(secs => $3)
   WHERE template_id = $1
     AND starts = $2
  RETURNING template_id
)
SELECT template_id FROM kept;
