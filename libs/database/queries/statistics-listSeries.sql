SELECT date_trunc($4, at, $5) AS at, NULL::text AS "group", outcome, latency,
       sum(messages)::float8 AS messages, sum(credits)::float8 AS credits
  FROM (
    SELECT counted.*
      FROM generate_series($2::timestamptz, $3::timestamptz - interval '1 microsecond', interval '1 minute')
           AS minute
     CROSS JOIN LATERAL (
       SELECT *
         FROM message_stat_minute
        WHERE at = minute
          AND account_id = $1
          AND ($6::text IS NULL OR channel = $6)
              AND ($7::text IS NULL OR gateway = $7)
              AND ($8::text IS NULL OR sender = $8)
              AND ($9::text IS NULL OR err_code = $9)
     ) AS counted
  ) AS counted
 GROUP BY 1, 2, 3, 4
HAVING sum(messages) <> 0
    OR sum(credits) <> 0;

SELECT date_trunc($4, at, $5) AS at, sender AS "group", outcome, latency,
       sum(messages)::float8 AS messages, sum(credits)::float8 AS credits
  FROM (
    SELECT *
      FROM message_stat_quarter
     WHERE account_id = $1
       AND at >= $2::timestamptz
       AND at < $3::timestamptz
       AND ($6::text IS NULL OR channel = $6)
           AND ($7::text IS NULL OR gateway = $7)
           AND ($8::text IS NULL OR sender = $8)
           AND ($9::text IS NULL OR err_code = $9)
  ) AS counted
 GROUP BY 1, 2, 3, 4
HAVING sum(messages) <> 0
    OR sum(credits) <> 0;
