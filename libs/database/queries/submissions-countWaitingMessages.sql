SELECT u.lane, (
         SELECT count(*)
           FROM (
             SELECT
               FROM message m
              WHERE m.lane = u.lane
                AND m.due_at < 'infinity'
                AND m.asks IS NULL
                AND m.throttles > 0
                AND m.unconfirmed_at IS NULL
              LIMIT 10000
           ) AS counted
       )::integer AS count
  FROM unnest($1::text[]) AS u(lane);
