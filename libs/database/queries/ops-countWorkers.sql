SELECT fleet, count(*)::integer AS workers
  FROM live_worker
 WHERE seen_at > now() - interval '3 seconds'
 GROUP BY fleet
 ORDER BY fleet;
