SELECT u.lane, LEAST(10000, (
         SELECT count(*)
           FROM (
             SELECT
               FROM ready_sms q
              WHERE q.lane = u.lane
              LIMIT 10000
           ) AS counted
       ) + (
         SELECT COALESCE(sum(cardinality(ids)), 0)
           FROM (
             SELECT ids
               FROM ready_batch
              WHERE lane = u.lane
                AND due_at < now() - interval '1 second'
              ORDER BY due_at, id
              LIMIT 10000
           ) AS overdue
       ))::integer AS count
  FROM unnest($1::text[]) AS u(lane);

SELECT u.lane, LEAST(10000, (
         SELECT count(*)
           FROM (
             SELECT
               FROM ready_chat q
              WHERE q.lane = u.lane
              LIMIT 10000
           ) AS counted
       ))::integer AS count
  FROM unnest($1::text[]) AS u(lane);
