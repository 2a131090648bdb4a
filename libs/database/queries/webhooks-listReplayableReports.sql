SELECT id
  FROM message_event
 WHERE submission_id = $1
   AND n = $2
   AND status IN ('SUBMITTED', 'RECEIVED');
