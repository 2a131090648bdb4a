UPDATE "webhook" SET "sealed_secret" = $1 WHERE ("id" = $2 AND "sealed_secret" = $3);
