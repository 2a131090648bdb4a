SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE;

SELECT count(*)::integer AS count FROM webhook WHERE account_id = $1 AND deleted_at IS NULL;
