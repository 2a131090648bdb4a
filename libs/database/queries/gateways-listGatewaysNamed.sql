SELECT id, name, channel, kind, settings, sealed_secrets AS "sealedSecrets", old_secrets AS "oldSecrets",
       rate_per_second AS "ratePerSecond", enabled, paused, source, version,
       created_at AS "createdAt", updated_at AS "updatedAt"
  FROM gateway
 WHERE name = ANY($1::text[]);
