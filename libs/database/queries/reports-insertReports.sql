INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, operator_circle,
                           reported_at)
SELECT *
  FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::integer[], $5::text[], $6::text[],
              $7::text[], $8::text[], $9::timestamptz[])
         AS given(id, gateway, submission_id, n, status, err_code, description,
                  operator_circle, reported_at);
