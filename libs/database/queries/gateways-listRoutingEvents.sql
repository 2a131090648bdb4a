SELECT event, gateway, reason, at
  FROM routing_event
 WHERE submission_id = $1
   AND n = $2
 ORDER BY id;
