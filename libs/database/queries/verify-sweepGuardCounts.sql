DELETE FROM verification_conversion
 WHERE (account_id, dimension, value, hour) IN (
   SELECT account_id, dimension, value, hour
     FROM verification_conversion
    WHERE hour < now() - interval '50 hours'
    ORDER BY hour
    LIMIT 10000
      FOR UPDATE SKIP LOCKED
 );
