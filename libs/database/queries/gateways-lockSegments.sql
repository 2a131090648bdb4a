SELECT m.gateway, m.gateway_message_id AS "gatewayMessageId", m.submission_id AS "submissionId", m.n, m.segment,
       m.segments, m.recipient, m.day::text AS day, m.status, m.err_code AS "errCode",
       m.gateway_code AS "gatewayCode", m.description, m.reported_at AS "reportedAt",
       m.waiting_since AS "waitingSince"
  FROM unnest($1::uuid[], $2::integer[])
         AS given(submission_id, n)
  JOIN gateway_message_id m ON m.submission_id = given.submission_id AND m.n = given.n AND m.segments > 1
 ORDER BY m.submission_id, m.n, m.segment, m.gateway_message_id
   FOR UPDATE OF m;
