UPDATE gateway
   SET settings = CASE WHEN $2 THEN $3::jsonb ELSE settings END,
       sealed_secrets = CASE WHEN $4 THEN $5::bytea ELSE sealed_secrets END,
       rate_per_second = CASE WHEN $6 THEN $7::integer ELSE rate_per_second END,
       enabled = COALESCE($8, enabled),
       paused = COALESCE($9, paused),
       source = COALESCE($10, source),
       old_secrets = COALESCE($11::jsonb, old_secrets),
       version = version + 1,
       updated_at = now()
 WHERE id = $1
RETURNING id, name, channel, kind, settings, sealed_secrets AS "sealedSecrets", old_secrets AS "oldSecrets",
          rate_per_second AS "ratePerSecond", enabled, paused, source, version,
          created_at AS "createdAt", updated_at AS "updatedAt";
