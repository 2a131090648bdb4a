SELECT m.submission_id AS "submissionId", m.n, m.gateway_message_id AS "gatewayMessageId"
  FROM unnest($1::uuid[], $2::integer[])
         AS given(submission_id, n)
  JOIN gateway_message_id m ON m.submission_id = given.submission_id AND m.n = given.n AND m.segments > 1
 WHERE m.gateway_message_id <> ''
 GROUP BY m.submission_id, m.n, m.gateway_message_id
 ORDER BY m.submission_id, m.n, min(m.segment);
