SELECT DISTINCT gateway, submission_id AS "submissionId", n
  FROM (
    SELECT gateway, submission_id, n
      FROM gateway_message_id
     WHERE waiting_since < now() - interval '10 minutes'
     ORDER BY waiting_since
     LIMIT $1
  ) AS silent;
