SELECT dimension, value, sum(ended)::integer AS ended, sum(verified)::integer AS verified,
       sum(flagged)::integer AS flagged, sum(blocked)::integer AS blocked
  FROM verification_conversion
 WHERE account_id = $1
   AND hour > now() - interval '24 hours'
 GROUP BY dimension, value
HAVING sum(ended) >= $2 OR sum(flagged) + sum(blocked) > 0
 ORDER BY sum(verified)::float8 / GREATEST(sum(ended), 1), sum(ended) DESC, dimension, value
 LIMIT $3;
