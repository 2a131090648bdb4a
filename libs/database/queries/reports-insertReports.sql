WITH stored AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, operator_circle,
                             reported_at, gateway_code, details, is_code, due_at)
  SELECT given.*,
         NULL -- not the default, which is for the previous version
    FROM (
           SELECT report.*, COALESCE(
                              s.lane IN ('OTP', 'CHAT_OTP'),
                              false
                            ) AS is_code
             FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::integer[], $5::text[], $6::text[],
                         $7::text[], $8::text[], $9::timestamptz[], $10::text[], $11::jsonb[])
                    AS report(id, gateway, submission_id, n, status, err_code, description,
                              operator_circle, reported_at, gateway_code, details)
             LEFT JOIN submission s ON s.id = report.submission_id
         ) AS given
  RETURNING id, is_code
), batch AS (
  -- read by the rescue, so that no report needs an index entry for that
  INSERT INTO report_batch (is_code, due_at, reports, ids)
  SELECT is_code, now() + make_interval(secs => 10), count(*), array_agg(id)
    FROM stored
   GROUP BY is_code
)
SELECT id
  FROM stored
 WHERE is_code;
