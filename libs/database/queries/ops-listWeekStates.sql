SELECT 'push' AS "table",
       (SELECT COALESCE(max(CASE WHEN is_oldest THEN day ELSE day + 7 END), '1970-01-01')
          FROM (
            SELECT c.relname AS name,
                   c.relname ~ '_until_[0-9]{8}$' AS is_oldest,
                   CASE WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD') END AS day
              FROM pg_inherits i
              JOIN pg_class c ON c.oid = i.inhrelid
             WHERE i.inhparent = 'push'::regclass
          ) AS partition) - (now() AT TIME ZONE 'UTC')::date AS "daysAhead",
       (SELECT count(*)::integer FROM (SELECT FROM push_default LIMIT 10000) AS rows) AS unplaced
 UNION ALL
SELECT 'routing_event' AS "table",
       (SELECT COALESCE(max(CASE WHEN is_oldest THEN day ELSE day + 7 END), '1970-01-01')
          FROM (
            SELECT c.relname AS name,
                   c.relname ~ '_until_[0-9]{8}$' AS is_oldest,
                   CASE WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD') END AS day
              FROM pg_inherits i
              JOIN pg_class c ON c.oid = i.inhrelid
             WHERE i.inhparent = 'routing_event'::regclass
          ) AS partition) - (now() AT TIME ZONE 'UTC')::date AS "daysAhead",
       (SELECT count(*)::integer FROM (SELECT FROM routing_event_default LIMIT 10000) AS rows) AS unplaced;
