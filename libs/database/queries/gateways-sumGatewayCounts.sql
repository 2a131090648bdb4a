SELECT gateway, sum(accepted)::integer AS accepted, sum(refused)::integer AS refused,
       sum(delivered)::integer AS delivered, sum(failed)::integer AS failed
  FROM gateway_minute
 WHERE minute > now() - interval '10 minutes'
 GROUP BY gateway;
