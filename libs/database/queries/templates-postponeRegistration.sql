UPDATE template_registration
   SET problem = $5, due_at = now() + make_interval(secs => $6)
 WHERE template_id = $1
       AND claim_id = $2
       AND starts = $3
       AND gateway = $4;
