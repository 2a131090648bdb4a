SELECT te.id, te.version, te.event, te.actor, te.reason, te.created_at AS "createdAt", tv.category, tv.components,
       CASE WHEN replaced.version IS NOT NULL
         THEN jsonb_build_object('category', replaced.category, 'components', replaced.components)
       END AS before
  FROM template_event te
  JOIN template_version tv ON tv.template_id = te.template_id AND tv.version = te.version
  LEFT JOIN template_version replaced
    ON replaced.template_id = te.template_id
   AND replaced.version = te.version - 1
   AND te.event = 'edited'
 WHERE te.template_id = $1
   AND te.account_id = $2
   AND ($3::uuid IS NULL OR te.id < $3)
 ORDER BY te.id DESC
 LIMIT $4;
