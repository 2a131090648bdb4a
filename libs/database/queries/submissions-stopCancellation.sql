UPDATE message_cancellation
   SET status = 'STOPPED', finished_at = now()
 WHERE id = $1
   AND account_id = $2
   AND status = 'RUNNING';
