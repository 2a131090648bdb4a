SELECT known.enabled, known.disabled, troubled.failing, troubled.open
  FROM (
    SELECT count(*) FILTER (WHERE disabled_at IS NULL)::integer AS enabled,
           count(*) FILTER (WHERE disabled_at IS NOT NULL)::integer AS disabled
      FROM webhook
     WHERE deleted_at IS NULL
  ) AS known
 CROSS JOIN (
   SELECT count(*) FILTER (WHERE e.failures > 0)::integer AS failing,
          count(*) FILTER (WHERE e.open_level > 0)::integer AS open
     FROM endpoint e
     JOIN webhook w ON w.id = e.webhook_id
    WHERE (e.failures > 0 OR e.open_level > 0)
      AND w.deleted_at IS NULL
      AND w.disabled_at IS NULL
 ) AS troubled;
