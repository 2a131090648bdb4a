WITH RECURSIVE waiting AS (
  (SELECT webhook_id, next_attempt_at, 1 AS place
     FROM push
    WHERE next_attempt_at IS NOT NULL
      AND webhook_id > $1::uuid
    ORDER BY webhook_id, next_attempt_at
    LIMIT 1)
  UNION ALL
  SELECT next.webhook_id, next.next_attempt_at, waiting.place + 1
    FROM waiting,
         LATERAL (
           SELECT webhook_id, next_attempt_at
             FROM push
            WHERE next_attempt_at IS NOT NULL
              AND webhook_id > waiting.webhook_id
            ORDER BY webhook_id, next_attempt_at
            LIMIT 1
         ) AS next
   WHERE waiting.place < $2::integer
)
SELECT due.*, (SELECT webhook_id FROM waiting WHERE place = $2) AS next
  FROM (SELECT) AS one
  LEFT JOIN (
    SELECT w.id AS "webhookId", w.account_id AS "accountId", w.method, w.headers,
           w.max_in_flight AS "maxInFlight", w.rate_per_second AS "ratePerSecond", w.batch,
           COALESCE(e.open_level > 0, false) AS "needsProbe"
      FROM waiting
      JOIN webhook w ON w.id = waiting.webhook_id
      LEFT JOIN endpoint e ON e.webhook_id = w.id
     WHERE waiting.next_attempt_at <= now()
       AND w.disabled_at IS NULL
       AND (e.open_until IS NULL OR e.open_until <= now())
  ) AS due ON true;
