WITH waiting AS (
  SELECT given.id AS webhook_id, first.next_attempt_at
    FROM unnest($1::uuid[]) AS given(id)
   CROSS JOIN LATERAL (
     SELECT next_attempt_at
       FROM push
      WHERE webhook_id = given.id
        AND next_attempt_at IS NOT NULL
      ORDER BY next_attempt_at
      LIMIT 1
   ) AS first
)
SELECT w.id AS "webhookId", w.account_id AS "accountId", w.method, w.headers,
       w.max_in_flight AS "maxInFlight", w.rate_per_second AS "ratePerSecond", w.batch,
       COALESCE(e.open_level > 0, false) AS "needsProbe"
  FROM waiting
  JOIN webhook w ON w.id = waiting.webhook_id
  LEFT JOIN endpoint e ON e.webhook_id = w.id
 WHERE waiting.next_attempt_at <= now()
   AND w.disabled_at IS NULL
   AND (e.open_until IS NULL OR e.open_until <= now());
