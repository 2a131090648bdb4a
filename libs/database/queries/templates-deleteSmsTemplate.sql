DELETE FROM "sms_template" WHERE ("id" = $1 AND "account_id" = $2);
