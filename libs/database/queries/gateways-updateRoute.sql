UPDATE route
   SET priority = $2,
       match = $3,
       targets = $4,
       fallbacks = $5,
       policy = $6,
       version = version + 1,
       updated_at = now()
 WHERE id = $1
RETURNING id, priority, match, targets, fallbacks, policy, version,
          created_at AS "createdAt", updated_at AS "updatedAt";
