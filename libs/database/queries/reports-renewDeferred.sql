UPDATE deferred_batch
   SET claimed_until = now() + make_interval(secs => $2)
 WHERE id = ANY($1::uuid[]);
