SELECT id, recipient, sender, source, reason, created_at AS "createdAt" FROM opt_out WHERE account_id = $1 AND id = $2;
