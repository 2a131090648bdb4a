INSERT INTO gateway (id, name, channel, kind, settings, sealed_secrets, rate_per_second, enabled, paused, source,
                     created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, COALESCE($11, now()), COALESCE($11, now()))
ON CONFLICT ON CONSTRAINT gateway_name_unique DO NOTHING
RETURNING id, name, channel, kind, settings, sealed_secrets AS "sealedSecrets", old_secrets AS "oldSecrets",
          rate_per_second AS "ratePerSecond", enabled, paused, source, version,
          created_at AS "createdAt", updated_at AS "updatedAt";
