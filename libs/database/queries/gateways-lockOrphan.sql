SELECT id, gateway, kind, gateway_message_id AS "gatewayMessageId", recipient, status, err_code AS "errCode",
gateway_code AS "gatewayCode", description, content, reported_at AS "reportedAt",
received_at AS "receivedAt", next_try_at AS "nextTryAt"
  FROM orphan_report
 WHERE id = $1
   FOR UPDATE;
