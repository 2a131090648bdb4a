UPDATE gateway_message_id m
   SET status = given.status,
       err_code = given.err_code,
       gateway_code = given.gateway_code,
       description = given.description,
       reported_at = given.reported_at,
       waiting_since = given.waiting_since
  FROM (
         SELECT *
           FROM unnest($1::text[], $2::text[], $3::uuid[], $4::integer[], $5::smallint[], $6::text[],
                       $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
                       $12::timestamptz[], $13::timestamptz[])
                  AS given(gateway, gateway_message_id, submission_id, n, segment, recipient, day,
                           status, err_code, gateway_code, description, reported_at, waiting_since)
          ORDER BY submission_id, n, segment, gateway_message_id
       ) AS given -- as lockSegments
 WHERE m.gateway = given.gateway
   AND m.gateway_message_id = given.gateway_message_id
   AND m.recipient = given.recipient
   AND m.submission_id = given.submission_id
   AND m.n = given.n
   AND m.segment = given.segment
   AND m.day = given.day::date;
