SELECT s.lane, array_agg(s.id) AS "submissionIds"
  FROM (
    SELECT DISTINCT submission_id
      FROM (
        SELECT submission_id
          FROM message
         WHERE status = 'PENDING'
           AND held_until IS NULL
           AND claimed_until < now() - interval '1 second'
           AND starts < 10
         LIMIT 5000
      ) AS lost
  ) AS free
  JOIN submission s ON s.id = free.submission_id
 WHERE s.lane = ANY($1::text[])
 GROUP BY s.lane;
