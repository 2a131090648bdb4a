SELECT pg_advisory_xact_lock(hashtextextended('id rule ' || $1::text, 0));

SELECT form, hits, learned_at IS NOT NULL AS "isRule", revoked_at IS NOT NULL AS "isRevoked"
  FROM gateway_id_rule
 WHERE gateway = $1
 ORDER BY form;
