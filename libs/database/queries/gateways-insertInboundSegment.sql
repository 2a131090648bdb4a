INSERT INTO inbound_segment (set_id, position, gateway, sender, recipient, reference_bits, reference, total,
                             gateway_message_id, body, sent_at)
SELECT *
  FROM unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[], $5::text[],
              $6::smallint[], $7::integer[], $8::smallint[], $9::text[], $10::bytea[],
              $11::timestamptz[])
         AS given(set_id, position, gateway, sender, recipient, reference_bits, reference,
                  total, gateway_message_id, body, sent_at);
