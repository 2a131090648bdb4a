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
             FROM (
                    SELECT given.id,
                           CASE cardinality($2) WHEN 1 THEN $2[1] ELSE given.gateway END AS gateway,
                           given.submission_id,
                           CASE cardinality($4) WHEN 1 THEN $4[1] ELSE given.n END AS n,
                           CASE cardinality($5) WHEN 1 THEN $5[1] ELSE given.status END AS status,
                           CASE cardinality($6) WHEN 1 THEN $6[1] ELSE given.err_code END AS err_code,
                           CASE cardinality($7) WHEN 1 THEN $7[1] ELSE given.description END AS description,
                           given.operator_circle,
                           given.reported_at,
                           given.gateway_code,
                           given.details
                      FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::integer[], $5::text[], $6::text[],
                                  $7::text[], $8::text[], $9::timestamptz[], $10::text[], $11::jsonb[])
                             AS given(id, gateway, submission_id, n, status, err_code, description,
                                      operator_circle, reported_at, gateway_code, details)
                  ) AS report
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
