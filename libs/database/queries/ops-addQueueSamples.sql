INSERT INTO queue_minute AS q (minute, queue, completed, failed, waiting, active, delayed)
SELECT date_trunc('minute', now()), queue, completed, failed, waiting, active, delayed
  FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[], $5::integer[],
              $6::integer[])
         AS sample(queue, completed, failed, waiting, active, delayed)
 ORDER BY queue
ON CONFLICT ON CONSTRAINT queue_minute_pkey DO UPDATE
   SET completed = q.completed + EXCLUDED.completed,
       failed = q.failed + EXCLUDED.failed,
       waiting = GREATEST(q.waiting, EXCLUDED.waiting),
       active = GREATEST(q.active, EXCLUDED.active),
       delayed = GREATEST(q.delayed, EXCLUDED.delayed);
