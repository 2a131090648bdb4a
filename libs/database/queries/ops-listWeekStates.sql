SELECT 'push' AS "table",
       (SELECT min(monday) - (now() AT TIME ZONE 'UTC')::date
          FROM generate_series(0, 6) AS ahead
         CROSS JOIN LATERAL (
           SELECT date_trunc('week', now() AT TIME ZONE 'UTC')::date + 7 * ahead AS monday
         ) AS week
         WHERE ahead > 5
            OR NOT EXISTS (
              SELECT
                FROM (
                  SELECT c.relname AS name,
                         c.relname ~ '_until_[0-9]{8}$' AS is_oldest,
                         CASE WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD') END AS day
                    FROM pg_inherits i
                    JOIN pg_class c ON c.oid = i.inhrelid
                   WHERE i.inhparent = 'push'::regclass
                ) AS partition
               WHERE CASE WHEN is_oldest THEN day > monday ELSE day = monday END
            )) AS "daysAhead",
       (SELECT count(*)::integer FROM (SELECT FROM push_default LIMIT 10000) AS rows) AS unplaced
 UNION ALL
SELECT 'routing_event' AS "table",
       (SELECT min(monday) - (now() AT TIME ZONE 'UTC')::date
          FROM generate_series(0, 6) AS ahead
         CROSS JOIN LATERAL (
           SELECT date_trunc('week', now() AT TIME ZONE 'UTC')::date + 7 * ahead AS monday
         ) AS week
         WHERE ahead > 5
            OR NOT EXISTS (
              SELECT
                FROM (
                  SELECT c.relname AS name,
                         c.relname ~ '_until_[0-9]{8}$' AS is_oldest,
                         CASE WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD') END AS day
                    FROM pg_inherits i
                    JOIN pg_class c ON c.oid = i.inhrelid
                   WHERE i.inhparent = 'routing_event'::regclass
                ) AS partition
               WHERE CASE WHEN is_oldest THEN day > monday ELSE day = monday END
            )) AS "daysAhead",
       (SELECT count(*)::integer FROM (SELECT FROM routing_event_default LIMIT 10000) AS rows) AS unplaced;
