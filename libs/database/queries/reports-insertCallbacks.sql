WITH report AS MATERIALIZED (
  SELECT report.*, m.status <> 'PENDING' AND m.gateway <> report.gateway AS is_foreign,
         COALESCE(
           COALESCE(m.lane, (SELECT s.lane FROM submission s WHERE s.id = report.submission_id)) IN ('OTP', 'CHAT_OTP'),
           false
         ) AS is_code
    FROM (
           SELECT given.id,
                  CASE cardinality($6) WHEN 1 THEN $6[1] ELSE given.gateway END AS gateway,
                  given.submission_id,
                  CASE cardinality($8) WHEN 1 THEN $8[1] ELSE given.n END AS n,
                  CASE cardinality($9) WHEN 1 THEN $9[1] ELSE given.status END AS status,
                  CASE cardinality($10) WHEN 1 THEN $10[1] ELSE given.err_code END AS err_code,
                  CASE cardinality($11) WHEN 1 THEN $11[1] ELSE given.description END AS description,
                  given.operator_circle,
                  CASE cardinality($13) WHEN 1 THEN $13[1] ELSE given.reported_at END AS reported_at,
                  given.gateway_code,
                  given.details,
                  CASE cardinality($16) WHEN 1 THEN $16[1] ELSE given.callback_id END AS callback_id
             FROM unnest($5::uuid[], $6::text[], $7::uuid[], $8::integer[], $9::text[], $10::text[],
                         $11::text[], $12::text[], $13::timestamptz[], $14::text[], $15::jsonb[],
                         $16::uuid[])
                    AS given(id, gateway, submission_id, n, status, err_code, description,
                             operator_circle, reported_at, gateway_code, details, callback_id)
         ) AS report
    LEFT JOIN message m ON m.submission_id = report.submission_id AND m.n = report.n
), callback AS (
  INSERT INTO callback (id, gateway, body, processed_at)
  SELECT id, gateway, body,
         CASE WHEN is_read AND id <> ALL (ARRAY(SELECT callback_id FROM report WHERE is_foreign)) THEN now() END
    FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::boolean[])
           AS arrived(id, gateway, body, is_read)
), stored AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, operator_circle,
                             reported_at, gateway_code, details, is_code, due_at)
  SELECT given.*,
         NULL -- not the default, which is for the previous version
    FROM (
           SELECT id, gateway, submission_id, n, status, err_code, description, operator_circle,
                  reported_at, gateway_code, details, is_code
             FROM report
            WHERE callback_id <> ALL (ARRAY(SELECT callback_id FROM report WHERE is_foreign))
         ) AS given
  RETURNING id, is_code
), batch AS (
  -- read by the rescue, so that no report needs an index entry for that
  INSERT INTO report_batch (is_code, due_at, reports, ids)
  SELECT is_code, now() + make_interval(secs => 10), count(*), array_agg(id)
    FROM stored
   GROUP BY is_code
)
SELECT id AS "codeReport", NULL AS unread
  FROM stored
 WHERE is_code
 UNION ALL
SELECT NULL, callback_id
  FROM report
 WHERE is_foreign;
