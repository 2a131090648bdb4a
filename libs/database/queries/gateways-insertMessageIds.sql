INSERT INTO gateway_message_id (gateway, gateway_message_id, submission_id, n, segment, segments, recipient, day)
SELECT given.*, (now() AT TIME ZONE 'UTC')::date
  FROM unnest($1::text[], $2::text[], $3::uuid[], $4::integer[], $5::smallint[],
              $6::smallint[], $7::text[])
         AS given(gateway, gateway_message_id, submission_id, n, segment, segments,
                  recipient)
ON CONFLICT DO NOTHING;
