SELECT id, name, enabled, source, priority, match, targets, fallbacks, policy, version,
       created_at AS "createdAt", updated_at AS "updatedAt"
  FROM route
 WHERE true
 ORDER BY priority, id;
