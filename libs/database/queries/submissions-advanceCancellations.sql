SAVEPOINT typeorm_1;

SELECT id, account_id AS "accountId", filter, from_id AS "fromId", before_id AS "beforeId"
  FROM message_cancellation
 WHERE status = 'RUNNING'
 ORDER BY hashtextextended(account_id::text, (SELECT (random() * 1e9)::bigint)), examined, id
 LIMIT 1
   FOR UPDATE SKIP LOCKED;

SELECT s.id, s.walked,
       s.matches AND s.cancelled_at IS NULL
                     AND (
                       s.fanned_out_at IS NULL
                       OR EXISTS (SELECT FROM message m WHERE m.submission_id = s.id AND m.status = 'PENDING')
                     ) AS "isCancellable"
  FROM (
    SELECT judged.*,
           (count(*) OVER ())::integer AS walked,
           COALESCE(
             sum(fanned_upto) FILTER (WHERE matches) OVER (
               ORDER BY id DESC
               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
             ),
             0
           ) AS newer
      FROM (
        SELECT s.id, s.recipients, s.fanned_upto, s.fanned_out_at, s.cancelled_at,
               ($4::text IS NULL OR s.campaign = $4)
               AND ($5::text IS NULL OR s.client_ref = $5)
               AND ($6::text IS NULL OR s.sender = $6)
               AND ($7::text IS NULL OR s.channel = $7)
               AND s.accepted_at >= $8::timestamptz
               AND s.accepted_at < $9::timestamptz
                 AND s.expires_at > now()
                 AND s.cancelled_at IS NULL AS matches
          FROM (
            SELECT *
              FROM submission
             WHERE (account_id, campaign, id) >= ($1::uuid, $4::text, $2::uuid)
               AND (account_id, campaign, id) < ($1::uuid, $4::text, $3::uuid)
               AND campaign IS NOT NULL
             ORDER BY account_id DESC, campaign DESC, id DESC
             LIMIT 2000
          ) AS s
      ) AS judged
  ) AS s
 WHERE s.newer < 100000 -- it ends with the one that brings them to this number
 ORDER BY s.id DESC;

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

UPDATE message_cancellation
   SET before_id = COALESCE($2, before_id),
       examined = examined + $3,
       sends = sends + $4,
       cancelled = cancelled + $5,
       status = CASE WHEN $6 THEN 'DONE' ELSE status END,
       finished_at = CASE WHEN $6 THEN now() END
 WHERE id = $1;

RELEASE SAVEPOINT typeorm_1;
