SELECT count(*)::integer AS pushes,
       count(*) FILTER (WHERE w.disabled_at IS NOT NULL)::integer AS uncalled,
       min(CASE
             WHEN part.next_attempt_at IS NOT NULL
                  AND w.disabled_at IS NULL
             THEN GREATEST(part.next_attempt_at, e.open_until)
           END) AS "nextAttemptAt"
  FROM (
    SELECT webhook_id, next_attempt_at
      FROM push
     WHERE next_attempt_at IS NOT NULL
     ORDER BY webhook_id, next_attempt_at
     LIMIT 10000
  ) AS part
  JOIN webhook w ON w.id = part.webhook_id
  LEFT JOIN endpoint e ON e.webhook_id = w.id
 WHERE w.deleted_at IS NULL;
