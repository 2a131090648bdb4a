DELETE FROM inbound_segment
 WHERE (set_id, position) IN (
   SELECT set_id, position
     FROM inbound_segment
    WHERE received_at < now() - interval '2 days'
      AND closed_at IS NOT NULL
    ORDER BY received_at
    LIMIT 10000
      FOR UPDATE SKIP LOCKED
 );
