SELECT um.submission_id AS "submissionId", um.n, um.gateway,
       COALESCE(m.status = 'SENT' AND m.unconfirmed_at IS NOT NULL, false) AS "isOpen"
  FROM unconfirmed_message um
  LEFT JOIN message m ON m.submission_id = um.submission_id AND m.n = um.n
 WHERE um.channel = $1
   AND um.due_at <= now()
 ORDER BY um.due_at
 LIMIT 1000;
