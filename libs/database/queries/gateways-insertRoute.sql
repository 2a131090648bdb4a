INSERT INTO route (id, priority, match, targets, fallbacks, policy, name, enabled, source,
                   created_at, updated_at)
VALUES ($1::uuid, $2, $3, $4, $5, $6, COALESCE($7, $1::uuid::text), COALESCE($8, true), COALESCE($9, 'api'),
        COALESCE($10, now()), COALESCE($10, now()))
RETURNING id, name, enabled, source, priority, match, targets, fallbacks, policy, version,
          created_at AS "createdAt", updated_at AS "updatedAt";
