SAVEPOINT typeorm_1;

UPDATE chat_account
   SET deleted_at = now()
 WHERE id = $1
   AND account_id = $2
   AND deleted_at IS NULL
RETURNING id;

RELEASE SAVEPOINT typeorm_1;
