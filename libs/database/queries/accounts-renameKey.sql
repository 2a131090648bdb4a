UPDATE "api_key" SET "name" = $1 WHERE "id" = $2;
