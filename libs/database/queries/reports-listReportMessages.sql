SELECT id, submission_id AS "submissionId", n
  FROM message_event
 WHERE id = ANY($1::uuid[]);
