SELECT DISTINCT set_id AS "setId", gateway, sender, recipient, reference_bits AS "referenceBits", reference, total
  FROM (
    SELECT *
      FROM inbound_segment
     WHERE closed_at IS NULL
       AND received_at < now() - interval '30 minutes'
     ORDER BY received_at
     LIMIT $1
  ) AS late;
