SELECT l.lane, (
         SELECT count(*)
           FROM (
             SELECT
               FROM submission s
              WHERE s.lane = l.lane
                AND s.channel = 'sms' AND s.fanned_out_at IS NULL AND NOT s.waits
              LIMIT 10000
           ) AS counted
       )::integer AS count
  FROM unnest($1::text[]) AS l(lane);

SELECT l.lane, (
         SELECT count(*)
           FROM (
             SELECT
               FROM submission s
              WHERE s.lane = l.lane
                AND s.channel = 'chatapp' AND s.fanned_out_at IS NULL AND NOT s.waits
              LIMIT 10000
           ) AS counted
       )::integer AS count
  FROM unnest($1::text[]) AS l(lane);
