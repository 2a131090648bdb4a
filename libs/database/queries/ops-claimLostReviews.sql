UPDATE template
   SET starts = starts + 1
 WHERE id IN (
   SELECT id
     FROM (
       SELECT id
         FROM template
        WHERE status = 'PENDING'
              AND deleted_at IS NULL
              AND NOT EXISTS (
                        SELECT
                          FROM gateway_number gn
                               JOIN gateway g ON g.name = gn.gateway AND g.kind = 'cloud-api' AND g.enabled
                               JOIN chat_sender cs ON cs.msisdn = gn.msisdn
                         WHERE cs.account_id = template.account_id
                           AND cs.chat_account_id = template.chat_account_id
                      )
          AND id < (
                lpad(
                  to_hex((
                    extract(epoch FROM LEAST(now(), $1::timestamptz)) * 1000
                  )::bigint), 12, '0'
                ) || '70008000000000000000'
              )::uuid
          AND starts < 10
              AND submitted_at < now() - make_interval(
                    secs => CASE starts WHEN 0 THEN $2::integer ELSE 10 * 2 ^ starts END
                  )
              AND submitted_at < $1::timestamptz - make_interval(secs => 10)
        ORDER BY id
        LIMIT 5000
          FOR UPDATE SKIP LOCKED
     ) AS past
    UNION ALL
   SELECT id
     FROM (
       SELECT id
         FROM template
        WHERE status = 'PENDING'
              AND deleted_at IS NULL
              AND NOT EXISTS (
                        SELECT
                          FROM gateway_number gn
                               JOIN gateway g ON g.name = gn.gateway AND g.kind = 'cloud-api' AND g.enabled
                               JOIN chat_sender cs ON cs.msisdn = gn.msisdn
                         WHERE cs.account_id = template.account_id
                           AND cs.chat_account_id = template.chat_account_id
                      )
          AND id >= (
                lpad(
                  to_hex((
                    extract(epoch FROM now()) * 1000
                  )::bigint), 12, '0'
                ) || '70008000000000000000'
              )::uuid
          AND starts < 10
              AND submitted_at < now() - make_interval(
                    secs => CASE starts WHEN 0 THEN $2::integer ELSE 10 * 2 ^ starts END
                  )
              AND submitted_at < $1::timestamptz - make_interval(secs => 10)
        ORDER BY id
        LIMIT 5000
          FOR UPDATE SKIP LOCKED
     ) AS future
    LIMIT 5000
 )
RETURNING id;
