WITH candidate AS MATERIALIZED (
  SELECT id, actor, action, target
    FROM audit_event
   WHERE account_id = $1
     
     AND id >= $6::uuid
     AND id < $7::uuid
   ORDER BY id DESC
   LIMIT $8
), found AS (
  SELECT id
    FROM candidate
   WHERE ($3::text IS NULL OR actor = $3)
     AND ($4::text IS NULL OR action = $4)
     AND ($5::text IS NULL OR target = $5)
   ORDER BY id DESC
   LIMIT $2
)
SELECT e.id, e.actor, e.actor_name AS "actorName", e.action, e.target, e.before, e.after, e.address,
       e.created_at AS "createdAt", edge.edge
  FROM (SELECT CASE WHEN count(*) = $8 THEN min(id::text) END AS edge FROM candidate) AS edge
  LEFT JOIN (found JOIN audit_event e ON e.id = found.id) ON true
 ORDER BY e.id DESC;
