WITH RECURSIVE own AS (
  (SELECT gateway FROM orphan_report ORDER BY gateway LIMIT 1)
  UNION ALL
  SELECT (SELECT gateway FROM orphan_report o WHERE o.gateway > own.gateway ORDER BY gateway LIMIT 1)
    FROM own
   WHERE own.gateway IS NOT NULL
)
SELECT own.gateway, newest.kind, count(*)::integer AS count
  FROM own
 CROSS JOIN LATERAL (
   SELECT kind
     FROM orphan_report
    WHERE gateway = own.gateway
    ORDER BY id DESC
    LIMIT 10000
 ) AS newest
 GROUP BY own.gateway, newest.kind;
