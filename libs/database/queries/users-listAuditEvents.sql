SELECT id, actor, actor_name AS "actorName", action, target, before, after, address, created_at AS "createdAt"
  FROM audit_event
 WHERE account_id = $1
   AND ($3::text IS NULL OR actor = $3)
   AND ($4::text IS NULL OR action = $4)
   AND ($5::text IS NULL OR target = $5)
   AND ($6::uuid IS NULL OR id >= $6)
   AND ($7::uuid IS NULL OR id < $7)
 ORDER BY id DESC
 LIMIT $2;
