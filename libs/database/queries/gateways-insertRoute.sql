INSERT INTO route (id, priority, match, targets, fallbacks, policy)
VALUES ($1, $2, $3, $4, $5, $6)
RETURNING id, priority, match, targets, fallbacks, policy, version,
          created_at AS "createdAt", updated_at AS "updatedAt";
