INSERT INTO pinned_message (gateway, lane, submission_id, n, attempt)
SELECT $1, $2, pin.*
  FROM unnest($3::uuid[], $4::integer[], $5::integer[])
         AS pin(submission_id, n, attempt)
 ORDER BY submission_id, n
ON CONFLICT ON CONSTRAINT pinned_message_pkey DO UPDATE
   SET attempt = EXCLUDED.attempt, pinned_at = now();
