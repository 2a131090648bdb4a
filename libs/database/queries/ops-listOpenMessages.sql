WITH RECURSIVE gateway AS (
  (SELECT asks
     FROM message
    WHERE asks IS NOT NULL
    ORDER BY asks, due_at
    LIMIT 1)
  UNION ALL
  SELECT next.asks
    FROM gateway
   CROSS JOIN LATERAL (
     SELECT asks
       FROM message
      WHERE asks IS NOT NULL
        AND asks > gateway.asks
      ORDER BY asks, due_at
      LIMIT 1
   ) AS next
)
SELECT gateway.asks AS gateway, counted.messages, counted.first AS "nextQuestionAt"
  FROM gateway
 CROSS JOIN LATERAL (
   SELECT count(*)::integer AS messages, min(due_at) AS first
     FROM (
       SELECT due_at
         FROM message
        WHERE asks = gateway.asks
        ORDER BY asks, due_at
        LIMIT 10000
     ) AS part
 ) AS counted
 ORDER BY gateway.asks;
