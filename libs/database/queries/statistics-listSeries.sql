SELECT ($4::timestamptz[])[place] AS at, NULL AS "group", false AS "isRest", outcome, latency,
       messages::float8 AS messages, credits::float8 AS credits
  FROM (
    SELECT width_bucket(at, $4::timestamptz[]) AS place, outcome, latency,
           sum(messages) AS messages, sum(credits) AS credits
      FROM (
        SELECT counted.*
          FROM generate_series($2::timestamptz, $3::timestamptz - interval '1 microsecond', interval '1 minute')
               AS minute
         CROSS JOIN LATERAL (
           SELECT *
             FROM message_stat_minute
            WHERE at = minute
              AND account_id = $1
              AND ($5::text IS NULL OR channel = $5)
                  AND ($6::text IS NULL OR gateway = $6)
                  AND ($7::text IS NULL OR sender = $7)
                  AND ($8::text IS NULL OR err_code = $8)
         ) AS counted
      ) AS matching
     GROUP BY 1, 2, 3
  ) AS counted
 WHERE messages <> 0
    OR credits <> 0;

WITH counted AS MATERIALIZED (
  SELECT width_bucket(at, $4::timestamptz[]) AS place, sender AS "group", outcome, latency,
         sum(messages) AS messages, sum(credits) AS credits
    FROM (
      SELECT *
        FROM message_stat_quarter
       WHERE account_id = $1
         AND at >= $2::timestamptz
         AND at < $3::timestamptz
         AND ($5::text IS NULL OR channel = $5)
             AND ($6::text IS NULL OR gateway = $6)
             AND ($7::text IS NULL OR sender = $7)
             AND ($8::text IS NULL OR err_code = $8)
    ) AS matching
   GROUP BY 1, 2, 3, 4
),
shown AS MATERIALIZED (
  SELECT "group"
    FROM counted
   GROUP BY 1
   ORDER BY sum(messages) DESC, 1
   LIMIT 10
)
SELECT ($4::timestamptz[])[place] AS at, NULLIF("group", '') AS "group",
       "group" IS NULL AS "isRest", outcome, latency,
       messages::float8 AS messages, credits::float8 AS credits
  FROM (
    SELECT place,
           CASE WHEN "group" = ANY(ARRAY(SELECT "group" FROM shown)) THEN "group" END AS "group",
           outcome, latency, sum(messages) AS messages, sum(credits) AS credits
      FROM counted
     GROUP BY 1, 2, 3, 4
  ) AS grouped
 WHERE messages <> 0
    OR credits <> 0;

WITH counted AS MATERIALIZED (
  SELECT width_bucket(at, $4::timestamptz[]) AS place, channel AS "group", outcome, latency,
         sum(messages) AS messages, sum(credits) AS credits
    FROM (
      SELECT *
        FROM message_stat_day
       WHERE account_id = $1
         AND at >= $2::timestamptz
         AND at < $3::timestamptz
         AND ($5::text IS NULL OR channel = $5)
             AND ($6::text IS NULL OR gateway = $6)
             AND ($7::text IS NULL OR sender = $7)
             AND ($8::text IS NULL OR err_code = $8)
    ) AS matching
   GROUP BY 1, 2, 3, 4
),
shown AS MATERIALIZED (
  SELECT "group"
    FROM counted
   GROUP BY 1
   ORDER BY COALESCE(sum(credits) FILTER (WHERE outcome = 'accepted'), 0) DESC, 1
   LIMIT 10
)
SELECT ($4::timestamptz[])[place] AS at, NULLIF("group", '') AS "group",
       "group" IS NULL AS "isRest", outcome, latency,
       messages::float8 AS messages, credits::float8 AS credits
  FROM (
    SELECT place,
           CASE WHEN "group" = ANY(ARRAY(SELECT "group" FROM shown)) THEN "group" END AS "group",
           outcome, latency, sum(messages) AS messages, sum(credits) AS credits
      FROM counted
     GROUP BY 1, 2, 3, 4
  ) AS grouped
 WHERE messages <> 0
    OR credits <> 0;
