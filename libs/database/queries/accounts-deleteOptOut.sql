DELETE FROM opt_out WHERE account_id = $1 AND id = $2;
