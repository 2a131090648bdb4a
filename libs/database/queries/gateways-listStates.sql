SELECT gs.gateway_id AS "gatewayId", g.name, gs.worker_id AS "workerId", gs.status, gs.reason, gs.since,
       gs.detail, gs.seen_at AS "seenAt"
  FROM gateway_state gs
  JOIN gateway g ON g.id = gs.gateway_id
 WHERE gs.seen_at >= now() - interval '10 seconds'
 ORDER BY g.name, gs.worker_id;
