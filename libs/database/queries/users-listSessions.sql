SELECT us.id, us.address, us.user_agent AS "userAgent", us.created_at AS "createdAt", us.used_at AS "usedAt"
  FROM user_session us
 WHERE us.user_id = $1
   AND us.used_at > now() - make_interval(hours => 12)
       AND us.created_at > now() - make_interval(days => 7)
 ORDER BY us.id DESC
 LIMIT 100;
