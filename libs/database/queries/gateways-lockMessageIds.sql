SELECT m.gateway, m.gateway_message_id AS "gatewayMessageId", m.submission_id AS "submissionId", m.n, m.segment,
       m.segments, m.recipient, m.day::text AS day, m.status, m.err_code AS "errCode",
       m.gateway_code AS "gatewayCode", m.description, m.reported_at AS "reportedAt",
       m.waiting_since AS "waitingSince"
  FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::integer[], $6::smallint[],
              $7::text[])
         AS given(gateway, gateway_message_id, recipient, submission_id, n, segment, day)
  JOIN gateway_message_id m
    ON m.gateway = given.gateway
   AND m.gateway_message_id = given.gateway_message_id
   AND m.recipient = given.recipient
   AND m.submission_id = given.submission_id
   AND m.n = given.n
   AND m.segment = given.segment
   AND m.day = given.day::date
 ORDER BY m.submission_id, m.n, m.segment, m.gateway_message_id
   FOR UPDATE OF m;
