SELECT s.id AS "submissionId", wanted.n, s.channel, s.lane, s.content, s.custom -> (wanted.n - 1) AS values,
       cardinality(s.recipients) AS total, m.gateway_message_id AS "gatewayMessageId"
  FROM unnest($1::uuid[], $2::integer[])
         AS wanted(submission_id, n)
  JOIN submission s ON s.id = wanted.submission_id
  LEFT JOIN message m ON m.submission_id = s.id AND m.n = wanted.n
 WHERE s.account_id = $3
   AND wanted.n <= cardinality(s.recipients);
