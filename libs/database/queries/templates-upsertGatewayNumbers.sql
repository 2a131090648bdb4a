WITH locked AS MATERIALIZED (
  -- in the order of their keys, before the two steps that change them
  SELECT msisdn
    FROM gateway_number
   WHERE gateway = $1
   ORDER BY msisdn
     FOR UPDATE
), gone AS (
  DELETE FROM gateway_number
   WHERE gateway = $1
     AND msisdn IN (SELECT msisdn FROM locked)
     AND msisdn <> ALL ($2::text[])
)
INSERT INTO gateway_number (gateway, msisdn, provider_id)
SELECT DISTINCT ON (given.msisdn) $1, given.msisdn, given.provider_id
  FROM unnest($2::text[], $3::text[])
         AS given(msisdn, provider_id)
 WHERE (SELECT count(*) FROM locked) >= 0
 ORDER BY given.msisdn
ON CONFLICT ON CONSTRAINT gateway_number_pkey DO UPDATE
   SET provider_id = EXCLUDED.provider_id, seen_at = now();
