WITH RECURSIVE own AS (
  (SELECT gateway FROM orphan_report ORDER BY gateway LIMIT 1)
  UNION ALL
  SELECT (SELECT gateway FROM orphan_report o WHERE o.gateway > own.gateway ORDER BY gateway LIMIT 1)
    FROM own
   WHERE own.gateway IS NOT NULL
), gone AS (
  (SELECT id
     FROM orphan_report
    WHERE id < (
                 lpad(
                   to_hex((
                     extract(epoch FROM now() - interval '7 days') * 1000
                   )::bigint), 12, '0'
                 ) || '70008000000000000000'
               )::uuid
    LIMIT 10000)
  UNION ALL
  (SELECT excess.id
     FROM own
    CROSS JOIN LATERAL (
      SELECT id
        FROM orphan_report
       WHERE gateway = own.gateway
       ORDER BY id DESC
      OFFSET 100000
       LIMIT 10000
    ) AS excess
    LIMIT 10000)
)
DELETE FROM orphan_report o
 USING gone
 WHERE o.id = gone.id;
