SAVEPOINT typeorm_1;

SELECT id, account_id AS "accountId", filter, from_id AS "fromId", before_id AS "beforeId"
  FROM message_cancellation
 WHERE status = 'RUNNING'
 ORDER BY examined, id -- fewest examined first: a long one delays no other
 LIMIT 1
   FOR UPDATE SKIP LOCKED;

RELEASE SAVEPOINT typeorm_1;
