INSERT INTO audit_event (id, account_id, actor, actor_name, action, target, before, after, address)
VALUES (COALESCE($1, uuidv7()), $2, $3, $4, $5, $6, $7, $8, $9);
