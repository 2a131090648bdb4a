UPDATE orphan_report
   SET next_try_at = now() + interval '30 seconds'
 WHERE id IN (
   SELECT id
     FROM orphan_report
    WHERE next_try_at <= now()
      AND kind = $1
    ORDER BY next_try_at
    LIMIT $2
      FOR UPDATE SKIP LOCKED
 )
RETURNING id, gateway, kind, gateway_message_id AS "gatewayMessageId", recipient, status, err_code AS "errCode",
          gateway_code AS "gatewayCode", description, content, reported_at AS "reportedAt",
          received_at AS "receivedAt", next_try_at AS "nextTryAt";
