UPDATE push p
   SET replays = replays + 1
 WHERE webhook_id = $1
   AND report_id = $2
   AND account_id = $3
   AND status <> 'WAITING'
   AND EXISTS (SELECT FROM message_event r WHERE r.id = p.report_id)
RETURNING replays;
