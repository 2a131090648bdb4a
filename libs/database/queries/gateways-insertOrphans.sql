INSERT INTO orphan_report (id, gateway, kind, gateway_message_id, wake_id, recipient, status, err_code,
                           gateway_code, description, content, reported_at, next_try_at)
SELECT given.*,
       CASE WHEN given.kind = 'inbound' OR given.status IS NOT NULL THEN now() + interval '1 second' END
  FROM (
         SELECT *
           FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                       $7::text[], $8::text[], $9::text[], $10::text[], $11::jsonb[],
                       $12::timestamptz[])
                  AS given(id, gateway, kind, gateway_message_id, wake_id, recipient, status,
                           err_code, gateway_code, description, content, reported_at)
          ORDER BY gateway, gateway_message_id, recipient
       ) AS given
ON CONFLICT DO NOTHING;
