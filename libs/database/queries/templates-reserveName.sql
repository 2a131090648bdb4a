UPDATE template_registration r
   SET business_account_id = $2, reserved_name = t.name || ' ' || t.language
  FROM template t
 WHERE r.template_id = $1
   AND t.id = $1;
