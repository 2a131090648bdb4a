SELECT u.lane
  FROM unnest($1::text[]) AS u(lane)
 WHERE EXISTS (
   SELECT
     FROM (
       SELECT id
         FROM ready_sms
        WHERE lane = u.lane
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

SELECT u.lane
  FROM unnest($1::text[]) AS u(lane)
 WHERE EXISTS (
   SELECT
     FROM (
       SELECT id
         FROM ready_chat
        WHERE lane = u.lane
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
