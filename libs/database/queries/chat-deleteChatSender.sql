DELETE FROM "chat_sender" WHERE ("msisdn" = $1 AND "chat_account_id" = $2 AND "account_id" = $3);
