SELECT count(*)::integer AS count
  FROM (
    SELECT
      FROM push p
     WHERE webhook_id = $1
       AND report_id >= GREATEST($2::uuid, (SELECT id FROM message_event ORDER BY id LIMIT 1))
       AND report_id < $3
       AND status = ANY($4::text[])
       AND status <> 'DELIVERED'
     LIMIT 100000
  ) AS counted;

SELECT count(*)::integer AS count
  FROM (
    SELECT
      FROM push p
     WHERE webhook_id = $1
       AND report_id >= GREATEST($2::uuid, (SELECT id FROM message_event ORDER BY id LIMIT 1))
       AND report_id < $3
       AND status = ANY($4::text[])
       AND true
     LIMIT 100000
  ) AS counted;
