UPDATE template_registration
   SET attempted_version = version,
       gateway_template_id = CASE WHEN version > 0 THEN gateway_template_id END
 WHERE template_id = $1;
