SELECT vv.account_id AS "accountId", vv.dimension, vv.value,
       sum(vv.ended)::integer AS ended, sum(vv.verified)::integer AS verified
  FROM (
    SELECT DISTINCT *
      FROM unnest($1::uuid[], $2::text[], $3::text[])
             AS t(account_id, dimension, value)
  ) AS t
  JOIN verification_conversion vv
    ON vv.account_id = t.account_id
   AND vv.dimension = t.dimension
   AND vv.value = t.value
   AND vv.hour > now() - interval '24 hours'
 GROUP BY vv.account_id, vv.dimension, vv.value;
