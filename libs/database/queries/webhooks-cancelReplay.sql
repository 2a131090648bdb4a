UPDATE push_replay
   SET status = 'CANCELLED', finished_at = now()
 WHERE id = $1
   AND webhook_id = $2
   AND account_id = $3
   AND status = 'RUNNING';
