UPDATE gateway_id_rule
   SET learned_at = NULL, revoked_at = now()
 WHERE gateway = $1
   AND learned_at IS NOT NULL
RETURNING form;
