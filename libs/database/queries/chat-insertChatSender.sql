WITH owner AS (
  SELECT id, account_id
    FROM chat_account
   WHERE id = $1
     AND account_id = $2
     AND deleted_at IS NULL
     FOR SHARE
), stored AS (
  INSERT INTO chat_sender (msisdn, chat_account_id, account_id, messages_per_second, created_at)
  SELECT $3, id, account_id, $4::smallint, $5::timestamptz
    FROM owner
  ON CONFLICT DO NOTHING
  RETURNING msisdn
)
SELECT EXISTS (SELECT FROM owner) AS found, EXISTS (SELECT FROM stored) AS stored;
