UPDATE template_registration
   SET attempted_version = GREATEST(attempted_version, $2),
       gateway_template_id = COALESCE($3, gateway_template_id),
       status_at = date_trunc('second', now())
 WHERE template_id = $1;
