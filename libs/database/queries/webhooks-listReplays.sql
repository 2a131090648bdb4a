SELECT id, webhook_id AS "webhookId", status, statuses, from_at AS "from", to_at AS "to",
       rate_per_second AS "ratePerSecond", total, replayed, created_at AS "createdAt", finished_at AS "finishedAt"
  FROM push_replay
 WHERE webhook_id = $1
   AND account_id = $2
   AND ($4::uuid IS NULL OR id < $4)
 ORDER BY id DESC
 LIMIT $3;
