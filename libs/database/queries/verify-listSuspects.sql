SELECT a.account_id AS "accountId", a.min_sends AS "minSends",
       a.min_conversion_percent AS "minConversionPercent", vv.*
  FROM (
    SELECT DISTINCT *
      FROM unnest($1::uuid[], $2::integer[], $3::integer[])
             AS a(account_id, min_sends, min_conversion_percent)
  ) AS a
 CROSS JOIN LATERAL (
   SELECT dimension, value, sum(ended)::integer AS ended, sum(verified)::integer AS verified
     FROM (
       SELECT dimension, value, ended, verified
         FROM verification_conversion
        WHERE account_id = a.account_id
          AND dimension IN ('country', 'key')
          AND hour > now() - interval '24 hours'
        UNION ALL
       SELECT of_prefix.*
         FROM (
           SELECT value
             FROM generate_series(0, 23) AS ago
            CROSS JOIN LATERAL (
              SELECT value, ended, verified, flagged + blocked AS suspicions
                FROM verification_conversion
               WHERE hour = date_trunc('hour', now(), 'UTC') - make_interval(hours => ago)
                 AND account_id = a.account_id
                 AND dimension = 'prefix'
                 AND ended - verified > 0
               ORDER BY ended - verified DESC
               LIMIT 1000
            ) AS of_hour
            GROUP BY value
            HAVING sum(ended - verified) * 100 > (100 - a.min_conversion_percent) * a.min_sends
               AND sum(verified) * 100 < a.min_conversion_percent * sum(ended)
             ORDER BY sum(ended) DESC, value
            LIMIT 1000
         ) AS prefix
        CROSS JOIN LATERAL (
          SELECT dimension, value, ended, verified
            FROM verification_conversion
           WHERE account_id = a.account_id
             AND dimension = 'prefix'
             AND value = prefix.value
             AND hour > now() - interval '24 hours'
        ) AS of_prefix
     ) AS recent
    GROUP BY dimension, value
   -- isSuspect of the fraud guard
   HAVING sum(ended) >= a.min_sends AND sum(verified) * 100 < a.min_conversion_percent * sum(ended)
    -- prefixes come last: no number of them leaves out a country or a key
    ORDER BY dimension, sum(ended) DESC, value
    LIMIT 1000
 ) AS vv;
