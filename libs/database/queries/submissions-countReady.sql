SELECT u.lane, (
         SELECT count(*)
           FROM (
             SELECT
               FROM ready_sms q
              WHERE q.lane = u.lane
              LIMIT 10000
           ) AS counted
       )::integer AS count
  FROM unnest($1::text[]) AS u(lane);

SELECT u.lane, (
         SELECT count(*)
           FROM (
             SELECT
               FROM ready_chat q
              WHERE q.lane = u.lane
              LIMIT 10000
           ) AS counted
       )::integer AS count
  FROM unnest($1::text[]) AS u(lane);
