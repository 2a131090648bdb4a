UPDATE "sms_template" SET "name" = $1, "updated_at" = $2 WHERE ("id" = $3 AND "account_id" = $4);
