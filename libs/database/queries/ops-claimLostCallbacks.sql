UPDATE callback
   SET starts = starts + 1
 WHERE id IN (
   SELECT id
     FROM (
       SELECT id
         FROM callback
        WHERE processed_at IS NULL
          AND id < (
                lpad(
                  to_hex((
                    extract(epoch FROM LEAST(now(), $1::timestamptz)) * 1000
                  )::bigint), 12, '0'
                ) || '70008000000000000000'
              )::uuid
          AND starts < 10
              AND received_at < now() - make_interval(
                    secs => CASE starts WHEN 0 THEN $2::integer ELSE 10 * 2 ^ starts END
                  )
              AND received_at < $1::timestamptz - make_interval(secs => 10)
        ORDER BY id
        LIMIT 5000
          FOR UPDATE SKIP LOCKED
     ) AS past
    UNION ALL
   SELECT id
     FROM (
       SELECT id
         FROM callback
        WHERE processed_at IS NULL
          AND id >= (
                lpad(
                  to_hex((
                    extract(epoch FROM now()) * 1000
                  )::bigint), 12, '0'
                ) || '70008000000000000000'
              )::uuid
          AND starts < 10
              AND received_at < now() - make_interval(
                    secs => CASE starts WHEN 0 THEN $2::integer ELSE 10 * 2 ^ starts END
                  )
              AND received_at < $1::timestamptz - make_interval(secs => 10)
        ORDER BY id
        LIMIT 5000
          FOR UPDATE SKIP LOCKED
     ) AS future
    LIMIT 5000
 )
RETURNING id, octet_length(body) AS "sizeBytes";
