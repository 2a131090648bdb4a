SELECT minute, completed, failed, waiting, active, delayed
  FROM queue_minute
 WHERE queue = $1
   AND minute > now() - make_interval(hours => $2)
 ORDER BY minute;
