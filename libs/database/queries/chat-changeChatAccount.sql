UPDATE chat_account
   SET name = COALESCE($3, name), session_window = COALESCE($4, session_window), updated_at = now()
 WHERE id = $1
   AND account_id = $2
   AND deleted_at IS NULL
RETURNING id::float8 AS id, name, session_window AS "sessionWindow",
          created_at AS "createdAt", updated_at AS "updatedAt";
