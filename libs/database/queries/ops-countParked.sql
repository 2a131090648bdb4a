SELECT (SELECT count(*)::integer
  FROM message
 WHERE status = 'PENDING' AND held_until IS NULL AND starts >= 10) AS message,
(SELECT count(*)::integer
  FROM message_event
 WHERE settled_at IS NULL AND starts >= 10) AS message_event,
(SELECT count(*)::integer
  FROM template
 WHERE status = 'PENDING' AND deleted_at IS NULL AND starts >= 10) AS template,
(SELECT count(*)::integer
  FROM callback
 WHERE processed_at IS NULL AND starts >= 10) AS callback,
(SELECT count(*)::integer
  FROM verification
 WHERE status = 'WAITING' AND starts >= 10) AS verification;
