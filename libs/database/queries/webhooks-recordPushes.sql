WITH settled AS (
  UPDATE message_event r
     SET settled_at = now(), due_at = NULL
    FROM (
           SELECT *
             FROM unnest($1::uuid[])
                    AS named(id)
            ORDER BY id
         ) AS named
   WHERE r.id = named.id
     AND CASE WHEN
           r.settled_at IS NULL
         THEN true END
)
INSERT INTO push (report_id, webhook_id, account_id, status, attempts, starts, response_status,
                  duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, finished_at)
SELECT report_id, webhook_id, account_id, 'DELIVERED', 1, 1, response_status,
       duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, now()
  FROM (
         SELECT given.report_id,
                CASE cardinality($3) WHEN 1 THEN $3[1] ELSE given.webhook_id END AS webhook_id,
                CASE cardinality($4) WHEN 1 THEN $4[1] ELSE given.account_id END AS account_id,
                CASE cardinality($5) WHEN 1 THEN $5[1] ELSE given.response_status END AS response_status,
                given.duration_ms,
                given.dns_ms,
                given.connect_ms,
                given.tls_ms,
                given.first_byte_ms
           FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::smallint[], $6::integer[],
                       $7::smallint[], $8::smallint[], $9::smallint[], $10::smallint[])
                  AS given(report_id, webhook_id, account_id, response_status, duration_ms, dns_ms,
                           connect_ms, tls_ms, first_byte_ms)
       ) AS delivered
 ORDER BY webhook_id, report_id;

WITH settled AS (
  UPDATE message_event r
     SET settled_at = now(), due_at = NULL
    FROM (
           SELECT *
             FROM unnest($1::uuid[])
                    AS named(id)
            ORDER BY id
         ) AS named
   WHERE r.id = named.id
     AND CASE WHEN
           r.settled_at IS NULL
         THEN true END
), attempt AS (
  INSERT INTO push_attempt (id, report_id, webhook_id, account_id, attempt, response_status, error, answer,
                            request_headers, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, attempted_at)
  SELECT failed.*, now()
    FROM unnest($15::uuid[], $16::uuid[], $17::uuid[], $18::uuid[], $19::smallint[],
                $20::smallint[], $21::text[], $22::text[], $23::jsonb[], $24::integer[],
                $25::smallint[], $26::smallint[], $27::smallint[], $28::smallint[])
           AS failed(id, report_id, webhook_id, account_id, attempt, response_status, error,
                     answer, request_headers, duration_ms, dns_ms, connect_ms, tls_ms,
                     first_byte_ms)
   -- the answer to a call may name a person who was erased meanwhile; the lock makes an erasure in progress wait
   WHERE EXISTS (SELECT FROM message_event e WHERE e.id = failed.report_id FOR KEY SHARE)
)
INSERT INTO push AS p (report_id, webhook_id, account_id, status, attempts, starts, next_attempt_at, response_status,
                       error, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, finished_at)
SELECT report_id, webhook_id, account_id, status, attempts, attempts,
       now() + make_interval(secs => next_delay_ms / 1000.0), response_status,
       error, duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms,
       CASE WHEN status <> 'WAITING' THEN now() END
  FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::smallint[], $7::integer[],
              $8::smallint[], $9::text[], $10::integer[], $11::smallint[], $12::smallint[],
              $13::smallint[], $14::smallint[])
         AS outcome(report_id, webhook_id, account_id, status, attempts, next_delay_ms,
                    response_status, error, duration_ms, dns_ms, connect_ms, tls_ms,
                    first_byte_ms)
 ORDER BY webhook_id, report_id
ON CONFLICT ON CONSTRAINT push_pkey DO UPDATE
   SET status = EXCLUDED.status,
       attempts = EXCLUDED.attempts,
       -- a claim with an outcome does not count towards giving up
       starts = EXCLUDED.attempts,
       next_attempt_at = EXCLUDED.next_attempt_at,
       response_status = EXCLUDED.response_status,
       error = EXCLUDED.error,
       duration_ms = EXCLUDED.duration_ms,
       dns_ms = EXCLUDED.dns_ms,
       connect_ms = EXCLUDED.connect_ms,
       tls_ms = EXCLUDED.tls_ms,
       first_byte_ms = EXCLUDED.first_byte_ms,
       finished_at = EXCLUDED.finished_at
 WHERE p.status = 'WAITING'
   AND EXCLUDED.attempts >= p.attempts;
