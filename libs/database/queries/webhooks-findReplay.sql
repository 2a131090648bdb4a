SELECT id, webhook_id AS "webhookId", status, statuses, from_at AS "from", to_at AS "to",
       rate_per_second AS "ratePerSecond", total, replayed, created_at AS "createdAt", finished_at AS "finishedAt"
  FROM push_replay
 WHERE id = $1
   AND webhook_id = $2
   AND account_id = $3;
