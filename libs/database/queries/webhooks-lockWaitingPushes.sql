SELECT report_id AS "reportId", attempts, attempts_before AS "attemptsBefore", starts > attempts AS "isClaimed"
  FROM push
 WHERE webhook_id = $1
   AND report_id = ANY($2::uuid[])
   AND status = 'WAITING'
 ORDER BY report_id
   FOR UPDATE;
