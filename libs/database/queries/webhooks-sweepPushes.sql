WITH RECURSIVE waiting AS (
  (SELECT webhook_id, next_attempt_at, 1 AS place
     FROM push
    WHERE next_attempt_at IS NOT NULL
      AND webhook_id > $1::uuid
    ORDER BY webhook_id, next_attempt_at
    LIMIT 1)
  UNION ALL
  SELECT next.webhook_id, next.next_attempt_at, waiting.place + 1
    FROM waiting,
         LATERAL (
           SELECT webhook_id, next_attempt_at
             FROM push
            WHERE next_attempt_at IS NOT NULL
              AND webhook_id > waiting.webhook_id
            ORDER BY webhook_id, next_attempt_at
            LIMIT 1
         ) AS next
   WHERE waiting.place < $2::integer
), given_up AS (
  UPDATE push p
     SET status = 'EXHAUSTED',
         next_attempt_at = NULL,
         finished_at = now(),
         error = CASE WHEN abandoned.deleted_at IS NULL THEN 'webhook_disabled' ELSE 'webhook_deleted' END
    FROM (
      SELECT oldest.webhook_id, oldest.report_id, w.deleted_at
        FROM waiting
        JOIN webhook w ON w.id = waiting.webhook_id
       CROSS JOIN LATERAL (
         SELECT webhook_id, report_id
           FROM push
          WHERE webhook_id = w.id
            AND next_attempt_at IS NOT NULL
          ORDER BY webhook_id, next_attempt_at
          LIMIT 5000
            FOR UPDATE SKIP LOCKED
       ) AS oldest
       WHERE w.deleted_at > now() - interval '30 days'
          OR w.disabled_at < now() - interval '30 days'
       LIMIT 20000
    ) AS abandoned
   WHERE p.webhook_id = abandoned.webhook_id
     AND p.report_id = abandoned.report_id
  RETURNING 1
)
SELECT (SELECT count(*) FROM given_up)::integer AS count,
       (SELECT webhook_id FROM waiting WHERE place = $2) AS next;
