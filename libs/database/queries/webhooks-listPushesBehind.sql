SELECT DISTINCT given.report_id AS "reportId", given.webhook_id AS "webhookId"
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[])
         AS given(report_id, webhook_id, earlier_report_id)
  JOIN message_event er ON er.id = given.earlier_report_id
  LEFT JOIN push ep ON ep.webhook_id = given.webhook_id AND ep.report_id = given.earlier_report_id
 WHERE (er.settled_at IS NULL AND er.starts < 10 OR ep.status = 'WAITING');
