DELETE FROM endpoint_hour
 WHERE (webhook_id, hour) IN (
   SELECT webhook_id, hour
     FROM endpoint_hour
    WHERE hour < now() - interval '31 days'
    ORDER BY hour
    LIMIT 10000
      FOR UPDATE SKIP LOCKED
 );
