SELECT wanted.lane, (
         SELECT count(*)
           FROM (
             SELECT
               FROM message m
              WHERE m.lane = wanted.lane
                AND m.asks IS NULL
                AND m.due_at IS NOT NULL
                AND m.due_at < now() + interval '1 minute'
                AND m.status = 'PENDING'
                AND m.held_until IS NULL
                AND m.throttled_at IS NULL
                AND m.throttles > 0
              LIMIT 10000
           ) AS counted
       )::integer AS messages
  FROM unnest($1::text[]) AS wanted(lane);
