UPDATE user_session
   SET used_at = now()
 WHERE id = $1
   AND used_at < now() - interval '1 minute';
