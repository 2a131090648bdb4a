SELECT
  FROM submission
 WHERE id = ANY($1::uuid[])
 ORDER BY id
   FOR NO KEY UPDATE;

UPDATE message m
   SET claimed_until = now(), due_at = now()
  FROM (
    SELECT submission_id, n
      FROM message
     WHERE submission_id = ANY($1::uuid[])
       AND CASE WHEN
             status = 'PENDING'
             AND throttles > 0
             AND held_until IS NULL
             AND claimed_until > clock_timestamp() + make_interval(secs => 10)
           THEN true END
     ORDER BY submission_id, n
       FOR UPDATE SKIP LOCKED
  ) AS throttled
 WHERE m.submission_id = throttled.submission_id
   AND m.n = throttled.n;

WITH counted AS MATERIALIZED (
  SELECT s.id, (cardinality(s.recipients) - s.fanned_upto + waiting.messages)::integer AS messages
    FROM submission s
   CROSS JOIN LATERAL (
     SELECT count(*) AS messages
       FROM message
      WHERE submission_id = s.id
        AND status = 'PENDING'
            AND (held_until IS NOT NULL OR claimed_until <= now())
            AND starts < 10 -- a parked one stays
        AND true
   ) AS waiting
   WHERE s.id = ANY($1::uuid[])
)
UPDATE submission s
   SET cancelled_at = now(),
       waits = s.fanned_out_at IS NULL,
       listed = s.fanned_out_at IS NOT NULL,
       due_at = CASE WHEN s.fanned_out_at IS NULL THEN now() ELSE s.due_at END
  FROM counted
 WHERE s.id = counted.id
   AND s.cancelled_at IS NULL
       AND (
         s.fanned_out_at IS NULL
         OR EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
       )
RETURNING counted.messages;
