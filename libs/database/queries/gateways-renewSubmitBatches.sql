UPDATE submit_batch SET alive_until = now() + interval '8 seconds' WHERE id = ANY($1::uuid[]) RETURNING id;
