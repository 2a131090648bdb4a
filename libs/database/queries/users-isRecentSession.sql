SELECT 1
  FROM user_session
 WHERE id = $1
   AND created_at > now() - make_interval(mins => $2);
