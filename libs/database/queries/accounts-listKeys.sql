SELECT id, name, prefix, last4, scopes, rate_limit_per_minute AS "rateLimitPerMinute", expires_at AS "expiresAt",
       revoked_at AS "revokedAt", created_by AS "createdBy", last_used_at AS "lastUsedAt",
       replaced_by AS "replacedBy", created_at AS "createdAt"
  FROM api_key
 WHERE account_id = $1
   AND ($3::uuid IS NULL OR id < $3)
 ORDER BY id DESC
 LIMIT $2;
