UPDATE submit_batch SET alive_until = now() + interval '6 seconds' WHERE id = ANY($1::uuid[]);
