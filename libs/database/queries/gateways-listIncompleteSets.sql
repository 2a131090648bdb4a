SELECT set_id AS "setId", position, gateway, sender, recipient, reference_bits AS "referenceBits", reference, total,
       gateway_message_id AS "gatewayMessageId", body, sent_at AS "sentAt", received_at AS "receivedAt",
       closed_at AS "closedAt"
  FROM inbound_segment
 WHERE set_id IN (
   SELECT set_id
     FROM inbound_segment
    WHERE closed_at IS NULL
      AND received_at < now() - interval '30 minutes'
    ORDER BY received_at
    LIMIT $1
 )
 ORDER BY set_id, position;
