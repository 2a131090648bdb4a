INSERT INTO submit_batch (id, gateway, lane, submission_ids, ns, attempts, resends, alive_until)
VALUES ($1, $2, $3, $4, $5, $6, $7, now() + interval '8 seconds');
