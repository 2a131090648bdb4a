UPDATE user_account SET role = $3 WHERE account_id = $1 AND user_id = $2;
