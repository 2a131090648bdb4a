SELECT count(*)::integer AS count
  FROM template_registration r
  JOIN template t ON t.id = r.template_id
 WHERE r.gateway = $1
   AND r.gateway_template_id IS NOT NULL
   AND r.deleted_at IS NULL
   AND t.deleted_at IS NULL
   AND t.status = 'PENDING';
