
DELETE FROM gateway_id_rule
 WHERE gateway = $1
   AND revoked_at IS NULL
   AND form <> ALL($2::text[]);

INSERT INTO gateway_id_rule AS r (gateway, form, hits, learned_at)
SELECT $1, given.form, given.hits, CASE WHEN given.is_rule THEN now() END
  FROM unnest($2::text[], $3::integer[], $4::boolean[])
         AS given(form, hits, is_rule)
 ORDER BY given.form
ON CONFLICT ON CONSTRAINT gateway_id_rule_pkey DO UPDATE
   SET hits = EXCLUDED.hits,
       learned_at = CASE WHEN EXCLUDED.learned_at IS NOT NULL THEN COALESCE(r.learned_at, EXCLUDED.learned_at) END;
