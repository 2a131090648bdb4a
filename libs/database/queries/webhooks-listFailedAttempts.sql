SELECT report_id AS "reportId", attempt, attempted_at AS at, response_status AS "responseStatus", error, answer,
       request_headers AS "requestHeaders", duration_ms AS "durationMs", dns_ms AS "dnsMs",
       connect_ms AS "connectMs", tls_ms AS "tlsMs", first_byte_ms AS "firstByteMs"
  FROM push_attempt
 WHERE webhook_id = $1
   AND report_id = ANY($2::uuid[])
 ORDER BY attempted_at, attempt;
