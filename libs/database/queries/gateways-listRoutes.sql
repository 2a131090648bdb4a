SELECT id, priority, match, targets, fallbacks, policy, version,
       created_at AS "createdAt", updated_at AS "updatedAt"
  FROM route
 ORDER BY priority, id;
