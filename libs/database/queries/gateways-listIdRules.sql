SELECT gateway, form, hits, learned_at AS "learnedAt"
  FROM gateway_id_rule
 WHERE learned_at IS NOT NULL;
