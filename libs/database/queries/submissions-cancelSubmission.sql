SAVEPOINT typeorm_1;

SELECT
  FROM submission
 WHERE account_id = $1
   AND id = $2
   FOR NO KEY UPDATE;

UPDATE submission s
   SET cancelled_at = now(),
       waits = s.fanned_out_at IS NULL,
       listed = s.fanned_out_at IS NOT NULL,
       due_at = CASE WHEN s.fanned_out_at IS NULL THEN now() ELSE s.due_at END
 WHERE s.id = $2
   AND s.account_id = $1
   AND ($3::text IS NULL OR s.channel = $3)
   AND s.cancelled_at IS NULL
       AND (
         s.fanned_out_at IS NULL
         OR EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
       )
RETURNING s.id;

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

RELEASE SAVEPOINT typeorm_1;
