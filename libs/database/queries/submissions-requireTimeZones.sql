SELECT zone
  FROM unnest($1::text[]) AS r(zone)
 WHERE zone NOT IN (SELECT name FROM pg_timezone_names);
