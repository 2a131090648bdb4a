WITH stored AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, operator_circle,
                             reported_at, is_code)
  SELECT given.*, COALESCE(s.lane IN ('OTP', 'CHAT_OTP'), false)
    FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::integer[], $5::text[], $6::text[],
                $7::text[], $8::text[], $9::timestamptz[])
           AS given(id, gateway, submission_id, n, status, err_code, description,
                    operator_circle, reported_at)
    LEFT JOIN submission s ON s.id = given.submission_id
  RETURNING id, is_code
)
SELECT id
  FROM stored
 WHERE is_code;
