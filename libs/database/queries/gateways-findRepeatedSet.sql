SELECT set_id AS "setId", position, gateway, sender, recipient, reference_bits AS "referenceBits", reference, total,
       gateway_message_id AS "gatewayMessageId", body, sent_at AS "sentAt", received_at AS "receivedAt",
       closed_at AS "closedAt"
  FROM inbound_segment
 WHERE set_id = (
   SELECT s.set_id
     FROM inbound_segment s
    WHERE s.gateway = $1
          AND s.sender = $2
          AND s.recipient = $3
          AND s.reference_bits = $4
          AND s.reference = $5
          AND s.total = $6
          AND s.received_at > now() - interval '24 hours'
      AND s.position = $7
      AND s.body = $8
      AND CASE
            WHEN $9::text <> '' THEN s.gateway_message_id = $9
            WHEN s.closed_at IS NULL THEN true
            ELSE s.received_at > now() - interval '2 minutes'
                 AND NOT EXISTS (
                       SELECT
                         FROM inbound_segment later
                        WHERE s.total = 1
                          AND later.gateway = s.gateway
                          AND later.sender = s.sender
                          AND later.recipient = s.recipient
                          AND later.reference_bits = s.reference_bits
                          AND later.reference = s.reference
                          AND later.total = s.total
                          AND (later.received_at, later.set_id) > (s.received_at, s.set_id)
                          AND later.body <> s.body
                     )
          END
    ORDER BY s.received_at, s.set_id
    LIMIT 1
 )
 ORDER BY position;
