SELECT lane, array_agg(DISTINCT submission_id) AS "submissionIds"
  FROM (
    SELECT wanted.lane, lost.submission_id
      FROM unnest($1::text[]) AS wanted(lane)
     CROSS JOIN LATERAL (
       SELECT submission_id
         FROM message
        WHERE lane = wanted.lane
          AND status = 'PENDING'
          AND held_until IS NULL
          AND starts < 10
          AND claimed_until < now() - interval '1 second'
        ORDER BY claimed_until
        LIMIT 5000
     ) AS lost
     UNION ALL
    SELECT s.lane, s.id
      FROM (
        SELECT submission_id
          FROM message
         WHERE lane IS NULL
           AND status = 'PENDING'
           AND held_until IS NULL
           AND starts < 10
           AND claimed_until < now() - interval '1 second'
         ORDER BY claimed_until
         LIMIT 5000
      ) AS lost
      JOIN submission s ON s.id = lost.submission_id
     WHERE s.lane = ANY($1::text[])
  ) AS found
 GROUP BY lane;
