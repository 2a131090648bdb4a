UPDATE template_registration
   SET problem = $2, due_at = now() + make_interval(secs => $3)
 WHERE template_id = $1;
