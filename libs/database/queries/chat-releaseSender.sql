DELETE FROM chat_sender WHERE msisdn = $1;

DELETE FROM sender_assignment WHERE msisdn = $1;

SELECT 1 AS "row_exists" FROM (SELECT 1 AS dummy_column) "dummy_table" WHERE EXISTS (SELECT 1 FROM "chat_sender" "ChatSender" WHERE (("ChatSender"."msisdn" = $1))) LIMIT 1;
