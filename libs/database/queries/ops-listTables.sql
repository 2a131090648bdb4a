SELECT c.relname AS name,
       sum(GREATEST(p.reltuples, 0))::float8 AS rows,
       sum(pg_total_relation_size(p.oid))::float8 AS bytes,
       count(*) FILTER (WHERE p.oid <> c.oid)::integer AS partitions
  FROM pg_class c
  JOIN pg_class p ON p.oid = c.oid OR EXISTS (
         SELECT
           FROM pg_inherits i
          WHERE i.inhrelid = p.oid
            AND i.inhparent = c.oid
       )
 WHERE c.relnamespace = current_schema()::regnamespace
   AND c.relkind IN ('r', 'p')
   AND NOT c.relispartition
 GROUP BY c.oid, c.relname
 ORDER BY bytes DESC, name;
