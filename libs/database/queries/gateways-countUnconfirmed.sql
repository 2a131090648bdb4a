SELECT noted.gateway, count(*)::integer AS count
  FROM (
    SELECT submission_id, n, gateway
      FROM unconfirmed_message
     WHERE channel = $1
     ORDER BY due_at
     LIMIT 10000
  ) AS noted
  JOIN message m ON m.submission_id = noted.submission_id AND m.n = noted.n
 WHERE m.status = 'SENT'
   AND m.unconfirmed_at IS NOT NULL
 GROUP BY noted.gateway;
