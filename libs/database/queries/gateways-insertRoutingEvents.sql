INSERT INTO routing_event (id, submission_id, n, event, gateway, reason)
SELECT uuidv7(), given.*
  FROM unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::text[])
         AS given(submission_id, n, event, gateway, reason);
