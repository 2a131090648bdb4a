UPDATE "webhook" SET "sealed_secret" = $1, "old_secrets" = $2, "updated_at" = now() WHERE ("id" = $3 AND "deleted_at" IS NULL);
