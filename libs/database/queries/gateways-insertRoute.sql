INSERT INTO route (id, priority, match, targets, fallbacks, policy, name, enabled, source)
VALUES ($1::uuid, $2, $3, $4, $5, $6, COALESCE($7, $1::uuid::text), COALESCE($8, true), COALESCE($9, 'api'))
RETURNING id, name, enabled, source, priority, match, targets, fallbacks, policy, version,
          created_at AS "createdAt", updated_at AS "updatedAt";
