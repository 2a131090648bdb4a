INSERT INTO submit_batch (id, gateway, lane, submission_ids, ns, attempts, resends, alive_until)
SELECT $1::uuid, $2::text, $3::text, $4::uuid[], $5::integer[], $6::integer[], $7::boolean[],
       now() + interval '8 seconds'
 WHERE now() <= $8
RETURNING id;
