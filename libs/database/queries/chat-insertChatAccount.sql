INSERT INTO "chat_account"("id", "account_id", "name", "session_window", "created_at", "updated_at", "deleted_at") VALUES ($1, $2, $3, $4, $5, $6, DEFAULT) RETURNING "created_at";
