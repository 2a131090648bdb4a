SAVEPOINT typeorm_1;

UPDATE account
   SET paused_at = CASE WHEN $2 THEN COALESCE(paused_at, now()) END
 WHERE id = $1
RETURNING id;

UPDATE chat_sender
   SET paced_until = CASE WHEN $2 THEN 'infinity' ELSE now() END
 WHERE msisdn IN (
   SELECT msisdn
     FROM chat_sender
    WHERE account_id = $1
      AND (paced_until = 'infinity') <> $2
    ORDER BY msisdn
      FOR NO KEY UPDATE
 );

RELEASE SAVEPOINT typeorm_1;
