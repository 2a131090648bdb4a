WITH stat AS MATERIALIZED (
  SELECT day::text AS name, sum(sent)::integer AS sent, sum(verified)::integer AS verified
    FROM verification_stat
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1
), taken AS MATERIALIZED (
  SELECT day::text AS name, seconds, sum(verified) AS verified
    FROM verification_latency
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1, seconds
), spread AS (
  -- the codes that were verified within each number of seconds
  SELECT name, seconds,
         sum(verified) OVER (PARTITION BY name ORDER BY seconds) AS upto,
         sum(verified) OVER (PARTITION BY name) AS total
    FROM (
      TABLE taken
      UNION ALL
      SELECT NULL, seconds, sum(verified)
        FROM taken
       GROUP BY seconds
    ) AS each
), quantile AS MATERIALIZED (
  SELECT name,
         min(seconds) FILTER (WHERE upto >= 0.5 * total) AS p50,
         min(seconds) FILTER (WHERE upto >= 0.95 * total) AS p95
    FROM spread
   GROUP BY name
), shown AS (
  (SELECT *
     FROM stat
    ORDER BY sent DESC, name
    LIMIT 500)
  UNION ALL
  SELECT NULL, COALESCE(sum(sent), 0)::integer, COALESCE(sum(verified), 0)::integer
    FROM stat
)
SELECT shown.name AS "group", shown.sent, shown.verified,
       quantile.p50 AS "p50Seconds", quantile.p95 AS "p95Seconds"
  FROM shown
  LEFT JOIN quantile ON quantile.name IS NOT DISTINCT FROM shown.name
 ORDER BY shown.name IS NOT NULL, shown.name DESC;

WITH stat AS MATERIALIZED (
  SELECT config_id::text AS name, sum(sent)::integer AS sent, sum(verified)::integer AS verified
    FROM verification_stat
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1
), taken AS MATERIALIZED (
  SELECT config_id::text AS name, seconds, sum(verified) AS verified
    FROM verification_latency
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1, seconds
), spread AS (
  -- the codes that were verified within each number of seconds
  SELECT name, seconds,
         sum(verified) OVER (PARTITION BY name ORDER BY seconds) AS upto,
         sum(verified) OVER (PARTITION BY name) AS total
    FROM (
      TABLE taken
      UNION ALL
      SELECT NULL, seconds, sum(verified)
        FROM taken
       GROUP BY seconds
    ) AS each
), quantile AS MATERIALIZED (
  SELECT name,
         min(seconds) FILTER (WHERE upto >= 0.5 * total) AS p50,
         min(seconds) FILTER (WHERE upto >= 0.95 * total) AS p95
    FROM spread
   GROUP BY name
), shown AS (
  (SELECT *
     FROM stat
    ORDER BY sent DESC, name
    LIMIT 500)
  UNION ALL
  SELECT NULL, COALESCE(sum(sent), 0)::integer, COALESCE(sum(verified), 0)::integer
    FROM stat
)
SELECT shown.name AS "group", shown.sent, shown.verified,
       quantile.p50 AS "p50Seconds", quantile.p95 AS "p95Seconds"
  FROM shown
  LEFT JOIN quantile ON quantile.name IS NOT DISTINCT FROM shown.name
 ORDER BY shown.name IS NOT NULL, shown.sent DESC, shown.name;

WITH stat AS MATERIALIZED (
  SELECT country AS name, sum(sent)::integer AS sent, sum(verified)::integer AS verified
    FROM verification_stat
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1
), taken AS MATERIALIZED (
  SELECT country AS name, seconds, sum(verified) AS verified
    FROM verification_latency
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1, seconds
), spread AS (
  -- the codes that were verified within each number of seconds
  SELECT name, seconds,
         sum(verified) OVER (PARTITION BY name ORDER BY seconds) AS upto,
         sum(verified) OVER (PARTITION BY name) AS total
    FROM (
      TABLE taken
      UNION ALL
      SELECT NULL, seconds, sum(verified)
        FROM taken
       GROUP BY seconds
    ) AS each
), quantile AS MATERIALIZED (
  SELECT name,
         min(seconds) FILTER (WHERE upto >= 0.5 * total) AS p50,
         min(seconds) FILTER (WHERE upto >= 0.95 * total) AS p95
    FROM spread
   GROUP BY name
), shown AS (
  (SELECT *
     FROM stat
    ORDER BY sent DESC, name
    LIMIT 500)
  UNION ALL
  SELECT NULL, COALESCE(sum(sent), 0)::integer, COALESCE(sum(verified), 0)::integer
    FROM stat
)
SELECT shown.name AS "group", shown.sent, shown.verified,
       quantile.p50 AS "p50Seconds", quantile.p95 AS "p95Seconds"
  FROM shown
  LEFT JOIN quantile ON quantile.name IS NOT DISTINCT FROM shown.name
 ORDER BY shown.name IS NOT NULL, shown.sent DESC, shown.name;
