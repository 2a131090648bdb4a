INSERT INTO submit_batch (id, gateway, lane, submission_ids, ns, attempts, alive_until)
VALUES ($1, $2, $3, $4, $5, $6, now() + interval '4 seconds');
