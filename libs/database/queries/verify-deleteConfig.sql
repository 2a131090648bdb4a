UPDATE "verification_config" SET "deleted_at" = now(), "test_numbers" = $1 WHERE ("id" = $2 AND "account_id" = $3 AND "deleted_at" IS NULL);
