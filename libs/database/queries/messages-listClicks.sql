SELECT click.link, s.content->'links'->'targets'->>(click.link - 1) AS target, click.kind,
       LEAST(sum(click.clicks), 2147483647)::integer AS clicks,
       min(click.first_at) AS "firstAt", max(click.last_at) AS "lastAt"
  FROM (
    SELECT link, kind, clicks, first_at, last_at
      FROM short_link_total
     WHERE submission_id = $2 AND n = $3
     UNION ALL
    SELECT link, kind, 1, clicked_at, clicked_at
      FROM short_link_click
     WHERE submission_id = $2 AND n = $3
  ) AS click
  JOIN submission s ON s.id = $2 AND s.account_id = $1
 GROUP BY click.link, click.kind, s.content
 ORDER BY "firstAt";
