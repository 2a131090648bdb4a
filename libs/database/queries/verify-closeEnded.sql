SAVEPOINT typeorm_1;

SELECT id
  FROM verification
 WHERE NOT counted
   AND status IN ('VERIFIED', 'EXPIRED', 'REPLACED')
 ORDER BY id
 LIMIT 5000
   FOR UPDATE SKIP LOCKED;

SELECT s.id
  FROM verification v
 CROSS JOIN LATERAL (
   SELECT v.submission_id AS id
    UNION
   SELECT submission_id
     FROM verification_step
    WHERE verification_id = v.id
 ) AS carrying
  JOIN submission s ON s.id = carrying.id
 WHERE v.id = ANY($1::uuid[])
   AND v.status IN ('VERIFIED', 'REPLACED')
   AND s.cancelled_at IS NULL
       AND (
         s.fanned_out_at IS NULL
         OR EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
       );

WITH taken AS MATERIALIZED (
  UPDATE verification
     SET counted = true
   WHERE id = ANY($1::uuid[])
  RETURNING account_id, config_id, country, left(recipient, -4) AS prefix, key_id::text AS key, created_at,
            status = 'VERIFIED' AS ok,
            GREATEST(0, LEAST(ceil(extract(epoch FROM verified_at - created_at)), 9900)) AS took,
            NOT is_test AND sent_at IS NOT NULL AS counts
), ended AS (
  SELECT taken.*, (created_at AT TIME ZONE 'UTC')::date AS day, date_trunc('hour', created_at, 'UTC') AS hour,
         (ceil(took / step) * step)::smallint AS seconds
    FROM taken
   CROSS JOIN LATERAL (SELECT CASE WHEN took < 100 THEN 1 WHEN took < 1000 THEN 10 ELSE 100 END AS step) AS precision
   WHERE counts
), stat AS (
  INSERT INTO verification_stat AS vt (account_id, day, config_id, country, sent, verified)
  SELECT account_id, day, config_id, country, 0, count(*)
    FROM ended
   WHERE ok
   GROUP BY account_id, day, config_id, country
   ORDER BY account_id, day, config_id, country
  ON CONFLICT ON CONSTRAINT verification_stat_pkey DO UPDATE
     SET verified = vt.verified + EXCLUDED.verified
), latency AS (
  INSERT INTO verification_latency AS vl (account_id, day, config_id, country, seconds, verified)
  SELECT account_id, day, config_id, country, seconds, count(*)
    FROM ended
   WHERE ok
   GROUP BY account_id, day, config_id, country, seconds
   ORDER BY account_id, day, config_id, country, seconds
  ON CONFLICT ON CONSTRAINT verification_latency_pkey DO UPDATE
     SET verified = vl.verified + EXCLUDED.verified
), conversion AS (
  INSERT INTO verification_conversion AS vv (account_id, dimension, value, hour, ended, verified)
  SELECT account_id, d.dimension, d.value, hour, count(*), count(*) FILTER (WHERE ok)
    FROM ended, LATERAL (VALUES ('prefix', prefix), ('country', country), ('key', key)) AS d(dimension, value)
   GROUP BY account_id, d.dimension, d.value, hour
   ORDER BY account_id, d.dimension, d.value, hour
  ON CONFLICT ON CONSTRAINT verification_conversion_pkey DO UPDATE
     SET ended = vv.ended + EXCLUDED.ended, verified = vv.verified + EXCLUDED.verified
)
SELECT count(*)::integer AS taken FROM taken;

RELEASE SAVEPOINT typeorm_1;
