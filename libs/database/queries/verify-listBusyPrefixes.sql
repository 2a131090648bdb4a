SELECT a.account_id AS "accountId", 'prefix' AS dimension, vv.value,
       sum(vv.ended)::integer AS ended, sum(vv.verified)::integer AS verified
  FROM unnest($1::uuid[], $2::integer[])
         AS a(account_id, min_sends)
 CROSS JOIN LATERAL (
   SELECT value, ended, verified
     FROM verification_conversion
    WHERE account_id = a.account_id
      AND dimension = 'prefix'
      AND hour > now() - interval '24 hours'
    ORDER BY value, hour
    LIMIT 20000
 ) AS vv
 GROUP BY a.account_id, a.min_sends, vv.value
HAVING sum(vv.ended) >= a.min_sends;
