DELETE FROM callback
 WHERE (id) IN (
   SELECT id
     FROM callback
    WHERE id < (
                 lpad(
                   to_hex((
                     extract(epoch FROM now() - interval '7 days') * 1000
                   )::bigint), 12, '0'
                 ) || '70008000000000000000'
               )::uuid
      AND processed_at IS NOT NULL
    ORDER BY id
    LIMIT 10000
      FOR UPDATE SKIP LOCKED
 );
