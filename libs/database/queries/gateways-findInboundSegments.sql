SELECT set_id AS "setId", position, gateway, sender, recipient, reference_bits AS "referenceBits", reference, total,
       gateway_message_id AS "gatewayMessageId", body, sent_at AS "sentAt", received_at AS "receivedAt",
       closed_at AS "closedAt"
  FROM inbound_segment
 WHERE gateway = $1
   AND sender = $2
   AND recipient = $3
   AND reference_bits = $4
   AND reference = $5
   AND total = $6
   AND received_at > now() - interval '24 hours'
 ORDER BY received_at, set_id, position;
