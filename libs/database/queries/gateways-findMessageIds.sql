SELECT m.gateway, m.gateway_message_id AS "gatewayMessageId", m.submission_id AS "submissionId", m.n, m.segment,
       m.segments, m.recipient, m.day::text AS day, m.status, m.err_code AS "errCode",
       m.gateway_code AS "gatewayCode", m.description, m.reported_at AS "reportedAt",
       m.waiting_since AS "waitingSince"
  FROM unnest($1::text[], $2::text[])
         AS given(gateway, gateway_message_id),
       LATERAL (
         SELECT *
           FROM gateway_message_id m
          WHERE m.gateway = given.gateway
            AND m.gateway_message_id = given.gateway_message_id
          LIMIT 50
       ) AS m;
