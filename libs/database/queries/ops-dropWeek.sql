SELECT parent, name
  FROM unnest($2::text[]) AS parent
 CROSS JOIN LATERAL (
   SELECT c.relname AS name,
          c.relname ~ '_until_[0-9]{8}$' AS is_oldest,
          CASE WHEN c.relname ~ '_[0-9]{8}$' THEN to_date(right(c.relname, 8), 'YYYYMMDD') END AS day
     FROM pg_inherits i
     JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = parent::regclass
 ) AS partition
 CROSS JOIN LATERAL (SELECT CASE WHEN is_oldest THEN day ELSE day + 7 END) AS ended(at)
 WHERE ended.at <= (now() - make_interval(days => $1)) AT TIME ZONE 'UTC'
   AND NOT EXISTS (
     SELECT
       FROM message_event
      WHERE id < rpad(
                   lpad(to_hex(extract(epoch FROM ended.at::timestamp)::bigint * 1000), 12, '0'), 32, '0'
                 )::uuid
   )
 ORDER BY ended.at, name
 LIMIT 1;
