SELECT queue, sum(completed)::float8 / 5 AS completed, sum(failed)::float8 / 5 AS failed
  FROM queue_minute
 WHERE minute >= date_trunc('minute', now()) - interval '5 minutes'
   AND minute < date_trunc('minute', now())
 GROUP BY queue;
