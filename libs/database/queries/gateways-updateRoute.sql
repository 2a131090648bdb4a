UPDATE route
   SET priority = $2,
       match = $3,
       targets = $4,
       fallbacks = $5,
       policy = $6,
       name = COALESCE($7, name),
       enabled = COALESCE($8, enabled),
       source = COALESCE($9, source),
       version = version + 1,
       updated_at = now()
 WHERE id = $1
RETURNING id, name, enabled, source, priority, match, targets, fallbacks, policy, version,
          created_at AS "createdAt", updated_at AS "updatedAt";
