DELETE FROM submit_batch WHERE id = ANY($1::uuid[]);
