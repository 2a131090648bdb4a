INSERT INTO endpoint_hour AS eh (webhook_id, hour, calls, failures)
SELECT given.webhook_id, date_trunc('hour', now()), given.calls, given.failures
  FROM unnest($1::uuid[], $2::integer[], $3::integer[])
         AS given(webhook_id, calls, failures)
  JOIN webhook w ON w.id = given.webhook_id
 ORDER BY given.webhook_id
ON CONFLICT ON CONSTRAINT endpoint_hour_pkey DO UPDATE
   SET calls = eh.calls + EXCLUDED.calls,
       failures = eh.failures + EXCLUDED.failures;
