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
SELECT (SELECT count(*)::integer FROM waiting) AS waiting,
       (SELECT GREATEST(0, COALESCE(extract(epoch FROM now() - min(waiting.next_attempt_at)), 0))::float
          FROM waiting
          JOIN webhook w ON w.id = waiting.webhook_id
          LEFT JOIN endpoint e ON e.webhook_id = w.id
         WHERE w.disabled_at IS NULL
           AND COALESCE(e.open_level, 0) = 0) AS "overdueSeconds",
       (SELECT webhook_id FROM waiting WHERE place = $2) AS next;
