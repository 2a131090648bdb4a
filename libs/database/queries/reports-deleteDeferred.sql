DELETE FROM deferred_batch WHERE id = ANY($1::uuid[]);
