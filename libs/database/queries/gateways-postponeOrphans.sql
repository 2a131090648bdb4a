UPDATE orphan_report
   SET next_try_at = CASE
                       WHEN now() < received_at + interval '10 seconds' THEN received_at + interval '10 seconds'
                       WHEN now() < received_at + interval '1 minute' THEN received_at + interval '1 minute'
                       WHEN now() < received_at + interval '10 minutes' THEN received_at + interval '10 minutes'
                       WHEN now() < received_at + interval '1 hour' THEN received_at + interval '1 hour'
                       WHEN kind = 'inbound' THEN now() + interval '1 hour'
                     END
 WHERE id = ANY($1::uuid[]);
