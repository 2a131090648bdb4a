SELECT a.account_id AS "accountId", a.min_sends AS "minSends",
       a.min_conversion_percent AS "minConversionPercent", vv.*
  FROM (
    SELECT DISTINCT *
      FROM unnest($1::uuid[], $2::integer[], $3::integer[])
             AS a(account_id, min_sends, min_conversion_percent)
  ) AS a
 CROSS JOIN LATERAL (
   SELECT dimension, value, sum(ended)::integer AS ended, sum(verified)::integer AS verified
     FROM verification_conversion
    WHERE account_id = a.account_id
      AND hour > now() - interval '24 hours'
    GROUP BY dimension, value
   -- isSuspect of the fraud guard
   HAVING sum(ended) >= a.min_sends AND sum(verified) * 100 < a.min_conversion_percent * sum(ended)
    -- prefixes come last: no number of them leaves out a country or a key
    ORDER BY dimension, sum(ended) DESC, value
    LIMIT 1000
 ) AS vv;
