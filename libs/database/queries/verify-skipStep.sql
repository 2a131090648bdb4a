UPDATE verification_step
   SET status = 'SKIPPED', reason = $3, message = NULL, sealed = NULL
 WHERE verification_id = $1
   AND step = $2
   AND status = 'WAITING';
