WITH served AS MATERIALIZED (
  SELECT DISTINCT cs.account_id, cs.chat_account_id, gn.gateway,
                  g.settings ->> 'businessAccountId' AS business_account_id
    FROM gateway_number gn
         JOIN gateway g ON g.name = gn.gateway AND g.kind = 'cloud-api' AND g.enabled
         JOIN chat_sender cs ON cs.msisdn = gn.msisdn
), missing AS MATERIALIZED (
  -- with a gateway of the business account that it is registered with, if there is one
  SELECT t.id, (array_agg(served.gateway ORDER BY is_other, served.gateway))[1] AS gateway,
         (array_agg(served.business_account_id ORDER BY is_other, served.gateway))[1] AS business_account_id
    FROM served
    JOIN template t ON t.account_id = served.account_id AND t.chat_account_id = served.chat_account_id
    LEFT JOIN template_registration r ON r.template_id = t.id
   CROSS JOIN LATERAL (
     SELECT (r.business_account_id = served.business_account_id) IS NOT TRUE AS is_other
   ) AS compared
   WHERE t.deleted_at IS NULL
   GROUP BY t.id, r.gateway
  HAVING r.gateway IS NULL
      OR bool_and(r.gateway <> served.gateway OR r.business_account_id <> served.business_account_id)
   ORDER BY t.id
   LIMIT 500
), kept AS MATERIALIZED (
  SELECT r.template_id, missing.gateway
    FROM missing
    JOIN template_registration r ON r.template_id = missing.id
   WHERE r.business_account_id = missing.business_account_id
     AND r.gateway <> missing.gateway
   ORDER BY r.template_id
     FOR UPDATE OF r
), moved AS (
  -- its provider has it, whichever gateway asks
  UPDATE template_registration r
     SET gateway = kept.gateway, due_at = now()
    FROM kept
   WHERE r.template_id = kept.template_id
), enrolled AS (
  INSERT INTO template_registration AS r (template_id, gateway, business_account_id)
  SELECT id, gateway, business_account_id
    FROM missing
   WHERE id NOT IN (SELECT template_id FROM kept)
  ON CONFLICT ON CONSTRAINT template_registration_pkey DO UPDATE
     SET gateway = EXCLUDED.gateway, business_account_id = EXCLUDED.business_account_id, reserved_name = NULL,
         gateway_template_id = NULL, version = 0, attempted_version = 0, status = NULL, reason = NULL,
         status_at = NULL, quality = NULL, coming_category = NULL, problem = NULL, starts = 0, due_at = now()
   -- a worker that enrolled it at the same time may have registered it since
   WHERE r.gateway <> EXCLUDED.gateway
      OR r.business_account_id <> EXCLUDED.business_account_id
  RETURNING template_id
), reopened AS (
  -- a version that only Signalbox approved is not known to the provider, so it cannot be sent
  UPDATE template t
     SET status = 'PENDING', approved_version = NULL, submitted_at = now(), updated_at = now()
    FROM enrolled
   WHERE t.id = enrolled.template_id
     AND t.approved_version IS NOT NULL
  RETURNING t.id
)
SELECT (SELECT count(*) FROM enrolled)::integer AS enrolled,
       (SELECT count(*) FROM reopened)::integer AS reopened;
