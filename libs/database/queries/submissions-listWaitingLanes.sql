SELECT l.lane
  FROM unnest($1::text[]) AS l(lane)
 WHERE EXISTS (
   SELECT
     FROM ready_sms q
     JOIN submission s ON s.id = q.id
    WHERE q.lane = l.lane
      AND s.due_at < now() - interval '1 second'
 );

SELECT l.lane
  FROM unnest($1::text[]) AS l(lane)
 WHERE EXISTS (
   SELECT
     FROM ready_chat q
     JOIN submission s ON s.id = q.id
    WHERE q.lane = l.lane
      AND s.due_at < now() - interval '1 second'
 );
