SELECT l.lane
  FROM unnest($1::text[]) AS l(lane)
 WHERE EXISTS (
   SELECT
     FROM submission s
    WHERE s.lane = l.lane
      AND s.channel = 'sms' AND s.fanned_out_at IS NULL AND NOT s.waits
      AND s.due_at < now() - interval '1 second'
 );

SELECT l.lane
  FROM unnest($1::text[]) AS l(lane)
 WHERE EXISTS (
   SELECT
     FROM submission s
    WHERE s.lane = l.lane
      AND s.channel = 'chatapp' AND s.fanned_out_at IS NULL AND NOT s.waits
      AND s.due_at < now() - interval '1 second'
 );
