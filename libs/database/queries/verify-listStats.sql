WITH stat AS (
  SELECT 'all' AS name, sum(sent)::integer AS sent, sum(verified)::integer AS verified
    FROM verification_stat
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1
), spread AS (
  -- the codes that were verified within each number of seconds
  SELECT 'all' AS name, seconds,
         sum(sum(verified)) OVER (PARTITION BY 'all' ORDER BY seconds) AS upto,
         sum(sum(verified)) OVER (PARTITION BY 'all') AS total
    FROM verification_latency
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1, seconds
), quantile AS (
  SELECT name,
         min(seconds) FILTER (WHERE upto >= 0.5 * total) AS p50,
         min(seconds) FILTER (WHERE upto >= 0.95 * total) AS p95
    FROM spread
   GROUP BY name
), biggest AS (
  SELECT *
    FROM stat
   ORDER BY sent DESC, name
   LIMIT 500
)
SELECT biggest.name AS "group", biggest.sent, biggest.verified,
       quantile.p50 AS "p50Seconds", quantile.p95 AS "p95Seconds"
  FROM biggest
  LEFT JOIN quantile ON quantile.name = biggest.name
 ORDER BY biggest.sent DESC, biggest.name;

WITH stat AS (
  SELECT day::text AS name, sum(sent)::integer AS sent, sum(verified)::integer AS verified
    FROM verification_stat
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1
), spread AS (
  -- the codes that were verified within each number of seconds
  SELECT day::text AS name, seconds,
         sum(sum(verified)) OVER (PARTITION BY day::text ORDER BY seconds) AS upto,
         sum(sum(verified)) OVER (PARTITION BY day::text) AS total
    FROM verification_latency
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1, seconds
), quantile AS (
  SELECT name,
         min(seconds) FILTER (WHERE upto >= 0.5 * total) AS p50,
         min(seconds) FILTER (WHERE upto >= 0.95 * total) AS p95
    FROM spread
   GROUP BY name
), biggest AS (
  SELECT *
    FROM stat
   ORDER BY sent DESC, name
   LIMIT 500
)
SELECT biggest.name AS "group", biggest.sent, biggest.verified,
       quantile.p50 AS "p50Seconds", quantile.p95 AS "p95Seconds"
  FROM biggest
  LEFT JOIN quantile ON quantile.name = biggest.name
 ORDER BY biggest.name DESC;

WITH stat AS (
  SELECT config_id::text AS name, sum(sent)::integer AS sent, sum(verified)::integer AS verified
    FROM verification_stat
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1
), spread AS (
  -- the codes that were verified within each number of seconds
  SELECT config_id::text AS name, seconds,
         sum(sum(verified)) OVER (PARTITION BY config_id::text ORDER BY seconds) AS upto,
         sum(sum(verified)) OVER (PARTITION BY config_id::text) AS total
    FROM verification_latency
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1, seconds
), quantile AS (
  SELECT name,
         min(seconds) FILTER (WHERE upto >= 0.5 * total) AS p50,
         min(seconds) FILTER (WHERE upto >= 0.95 * total) AS p95
    FROM spread
   GROUP BY name
), biggest AS (
  SELECT *
    FROM stat
   ORDER BY sent DESC, name
   LIMIT 500
)
SELECT biggest.name AS "group", biggest.sent, biggest.verified,
       quantile.p50 AS "p50Seconds", quantile.p95 AS "p95Seconds"
  FROM biggest
  LEFT JOIN quantile ON quantile.name = biggest.name
 ORDER BY biggest.sent DESC, biggest.name;

WITH stat AS (
  SELECT country AS name, sum(sent)::integer AS sent, sum(verified)::integer AS verified
    FROM verification_stat
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1
), spread AS (
  -- the codes that were verified within each number of seconds
  SELECT country AS name, seconds,
         sum(sum(verified)) OVER (PARTITION BY country ORDER BY seconds) AS upto,
         sum(sum(verified)) OVER (PARTITION BY country) AS total
    FROM verification_latency
   WHERE account_id = $1
         AND day BETWEEN $2::date AND $3::date
         AND ($4::uuid IS NULL OR config_id = $4)
         AND ($5::text IS NULL OR country = $5)
   GROUP BY 1, seconds
), quantile AS (
  SELECT name,
         min(seconds) FILTER (WHERE upto >= 0.5 * total) AS p50,
         min(seconds) FILTER (WHERE upto >= 0.95 * total) AS p95
    FROM spread
   GROUP BY name
), biggest AS (
  SELECT *
    FROM stat
   ORDER BY sent DESC, name
   LIMIT 500
)
SELECT biggest.name AS "group", biggest.sent, biggest.verified,
       quantile.p50 AS "p50Seconds", quantile.p95 AS "p95Seconds"
  FROM biggest
  LEFT JOIN quantile ON quantile.name = biggest.name
 ORDER BY biggest.sent DESC, biggest.name;
