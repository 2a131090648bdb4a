SELECT b.id, b.gateway, b.lane,
       COALESCE(
         (SELECT json_agg(
                   json_build_object(
                     'submissionId', m.submission_id,
                     'n', m.n,
                     'isResent', COALESCE(u.is_resent, false)
                   )
                   ORDER BY m.submission_id, m.n
                 )
            FROM unnest(b.submission_ids, b.ns, b.attempts, b.resends) AS u(submission_id, n, attempt, is_resent)
            JOIN message m ON m.submission_id = u.submission_id AND m.n = u.n
           WHERE m.status = 'PENDING'
             AND m.starts > 0 -- a recorded throttle returned the only start, and left the attempt as it was
             AND m.starts + m.throttles = u.attempt),
         '[]'
       ) AS messages
  FROM submit_batch b
 WHERE b.lane = ANY($1::text[])
   AND b.alive_until < now()
   AND now() <= $3
   AND b.id <> ALL($2::uuid[])
 ORDER BY b.id
 LIMIT 100
   FOR UPDATE OF b SKIP LOCKED;
