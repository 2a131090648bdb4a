WITH woken AS (
  UPDATE message m
     SET claimed_until = now(), due_at = now() + make_interval(secs => 10)
    FROM unnest($1::text[]) AS wanted(lane)
   CROSS JOIN LATERAL (
     SELECT submission_id, n
       FROM message
      WHERE lane = wanted.lane
        AND asks IS NULL
        AND due_at > now() + make_interval(secs => 10)
        AND due_at <= now() + make_interval(secs => $3)
        AND CASE WHEN
              gateway IS NULL
              AND status = 'PENDING'
                  AND throttles > 0
                  AND held_until IS NULL
                  AND claimed_until > clock_timestamp() + make_interval(secs => 10)
            THEN true END
      ORDER BY due_at
      LIMIT $2
        FOR UPDATE SKIP LOCKED
   ) AS waiting
   WHERE m.submission_id = waiting.submission_id
     AND m.n = waiting.n
  RETURNING m.lane, m.submission_id
)
SELECT lane, count(*)::integer AS messages, array_agg(DISTINCT submission_id) AS "submissionIds"
  FROM woken
 GROUP BY lane;
