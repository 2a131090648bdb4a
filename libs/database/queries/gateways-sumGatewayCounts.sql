SELECT gateway, sum(accepted)::integer AS accepted, sum(refused)::integer AS refused,
       sum(delivered)::integer AS delivered, sum(failed)::integer AS failed
  FROM gateway_minute
 WHERE minute > now() - make_interval(mins => $1)
 GROUP BY gateway;
