SELECT id, gateway, kind, gateway_message_id AS "gatewayMessageId", recipient, status, err_code AS "errCode",
gateway_code AS "gatewayCode", description, content, reported_at AS "reportedAt",
received_at AS "receivedAt", next_try_at AS "nextTryAt"
  FROM orphan_report
 WHERE ($2::uuid IS NULL OR id < $2)
   AND ($3::text IS NULL OR gateway = $3)
   AND ($4::text IS NULL OR kind = $4)
 ORDER BY id DESC
 LIMIT $1;
