INSERT INTO verification_step (verification_id, step, account_id, channel, status, reason, due_at,
                               stops_on_delivery, submission_id, message, sealed)
SELECT verification_id, step, account_id, channel,
       CASE
         WHEN submission_id IS NOT NULL THEN 'SENT'
         WHEN sealed IS NOT NULL THEN 'WAITING'
         ELSE 'SKIPPED'
       END,
       reason,
       now() + make_interval(secs => CASE WHEN submission_id IS NULL THEN after_seconds ELSE 0 END),
       stops_on_delivery, submission_id, message, sealed
  FROM unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::text[], $5::text[], $6::integer[],
              $7::boolean[], $8::uuid[], $9::jsonb[], $10::bytea[])
         AS given(verification_id, step, account_id, channel, reason, after_seconds,
                  stops_on_delivery, submission_id, message, sealed);
