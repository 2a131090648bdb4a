SAVEPOINT typeorm_1;

SELECT id, account_id AS "accountId", filter, from_id AS "fromId", before_id AS "beforeId"
  FROM message_cancellation
 WHERE status = 'RUNNING'
 ORDER BY hashtextextended(account_id::text, (SELECT (random() * 1e9)::bigint)), examined, id
 LIMIT 1
   FOR UPDATE SKIP LOCKED;

RELEASE SAVEPOINT typeorm_1;
