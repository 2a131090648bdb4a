SELECT set_id AS "setId", position, gateway, sender, recipient, reference_bits AS "referenceBits", reference, total,
       gateway_message_id AS "gatewayMessageId", body, sent_at AS "sentAt", received_at AS "receivedAt",
       closed_at AS "closedAt"
  FROM inbound_segment
 WHERE set_id = ANY($1::uuid[])
   AND closed_at IS NULL
 ORDER BY set_id, position;
