SELECT l.lane
  FROM unnest($1::text[]) AS l(lane)
 WHERE EXISTS (
   SELECT
     FROM (
       SELECT id
         FROM ready_sms
        WHERE lane = l.lane
        ORDER BY account_id, id
       OFFSET 0
     ) AS q
    CROSS JOIN LATERAL (
      SELECT due_at
        FROM submission
       WHERE id = q.id
      OFFSET 0
    ) AS s
    WHERE s.due_at < now() - interval '1 second'
 );

SELECT l.lane
  FROM unnest($1::text[]) AS l(lane)
 WHERE EXISTS (
   SELECT
     FROM (
       SELECT id
         FROM ready_chat
        WHERE lane = l.lane
        ORDER BY sender, id
       OFFSET 0
     ) AS q
    CROSS JOIN LATERAL (
      SELECT due_at
        FROM submission
       WHERE id = q.id
      OFFSET 0
    ) AS s
    WHERE s.due_at < now() - interval '1 second'
 );
