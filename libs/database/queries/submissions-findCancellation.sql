SELECT id, status, filter, total, examined, sends, cancelled,
created_at AS "createdAt", finished_at AS "finishedAt"
  FROM message_cancellation
 WHERE id = $1
   AND account_id = $2;
