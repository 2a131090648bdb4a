DELETE FROM orphan_report WHERE id = ANY($1::uuid[]);
