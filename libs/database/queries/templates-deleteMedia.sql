DELETE FROM media WHERE id = ANY($1::uuid[]) AND used_at IS NULL;
