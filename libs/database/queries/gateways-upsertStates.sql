WITH gone AS (
  DELETE FROM gateway_state
   WHERE (gateway_id, worker_id) IN (
     SELECT gateway_id, worker_id
       FROM gateway_state
      WHERE seen_at < now() - interval '10 seconds'
         OR worker_id = $1 AND gateway_id <> ALL ($2::uuid[])
        FOR UPDATE SKIP LOCKED
   )
)
INSERT INTO gateway_state (gateway_id, worker_id, status, reason, since, detail)
SELECT view.gateway_id, $1, view.status, view.reason, view.since, view.detail
  FROM unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::jsonb[])
         AS view(gateway_id, status, reason, since, detail)
  JOIN gateway g ON g.id = view.gateway_id
 ORDER BY view.gateway_id
ON CONFLICT ON CONSTRAINT gateway_state_pkey DO UPDATE
   SET status = EXCLUDED.status,
       reason = EXCLUDED.reason,
       since = EXCLUDED.since,
       detail = EXCLUDED.detail,
       seen_at = now();
