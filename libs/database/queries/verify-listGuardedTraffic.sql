SELECT dimension, value, sum(ended)::integer AS ended, sum(verified)::integer AS verified,
       sum(flagged)::integer AS flagged, sum(blocked)::integer AS blocked
  FROM (
    SELECT dimension, value, ended, verified, flagged, blocked
      FROM verification_conversion
     WHERE account_id = $1
       AND dimension IN ('country', 'key')
       AND hour > now() - interval '24 hours'
     UNION ALL
    SELECT of_prefix.*
      FROM (
        SELECT value
          FROM generate_series(0, 47) AS ago
         CROSS JOIN LATERAL (
           SELECT value, ended, verified, flagged + blocked AS suspicions
             FROM verification_conversion
            WHERE hour = date_trunc('hour', now(), 'UTC') - make_interval(hours => ago)
              AND account_id = $1
              AND dimension = 'prefix'
              AND true
            ORDER BY ended - verified DESC
            LIMIT 1000
         ) AS of_hour
         GROUP BY value
         HAVING sum(ended) >= $2 OR sum(suspicions) > 0
          ORDER BY sum(ended - verified) DESC, value
         LIMIT 1000
      ) AS prefix
     CROSS JOIN LATERAL (
       SELECT dimension, value, ended, verified, flagged, blocked
         FROM verification_conversion
        WHERE account_id = $1
          AND dimension = 'prefix'
          AND value = prefix.value
          AND hour > now() - interval '24 hours'
     ) AS of_prefix
  ) AS recent
 GROUP BY dimension, value
HAVING sum(ended) >= $2 OR sum(flagged) + sum(blocked) > 0
 ORDER BY sum(verified)::float8 / GREATEST(sum(ended), 1), sum(ended) DESC, dimension, value
 LIMIT $3;
