SELECT max(built_at) AS at
  FROM (SELECT built_at FROM message_stat_build ORDER BY minute DESC LIMIT 10) AS newest;
