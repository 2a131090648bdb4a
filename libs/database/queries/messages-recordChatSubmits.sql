WITH moved AS (
  UPDATE message m
     SET status = CASE WHEN submit.result IN ('throttled', 'released', 'resent') THEN m.status ELSE 'SENT' END,
         sent_at = CASE WHEN submit.result IN ('throttled', 'released', 'resent') THEN NULL ELSE now() END,
         throttled_at = CASE submit.result
                          WHEN 'throttled' THEN COALESCE(m.throttled_at, now())
                          WHEN 'released' THEN m.throttled_at
                        END,
         unconfirmed_at = CASE submit.result WHEN 'unconfirmed' THEN now() END,
         -- a message may be reclaimed and held before the outcome of its first claim is recorded
         held_until = CASE WHEN submit.result IN ('throttled', 'released', 'resent') THEN m.held_until END,
         gateway = $1,
         gateway_message_id = submit.gateway_message_id,
         claimed_until = CASE
                           WHEN submit.result IN ('throttled', 'released', 'resent')
                           THEN (
                             SELECT LEAST(now() + make_interval(secs => submit.retry_after_ms / 1000.0), s.expires_at)
                               FROM submission s
                              WHERE s.id = m.submission_id
                           )
                           ELSE m.claimed_until
                         END,
         -- already null for nearly all, whose time is in claim_batch: then no index changes
         due_at = CASE
                    WHEN m.due_at IS NULL
                         AND (m.held_until IS NULL OR submit.result IN ('throttled', 'released', 'resent'))
                    THEN NULL
                    WHEN submit.result = 'resent' AND m.due_at = 'infinity' THEN m.due_at -- parked
                    WHEN submit.result IN ('throttled', 'released', 'resent')
                    THEN (
                      SELECT LEAST(now() + make_interval(secs => submit.retry_after_ms / 1000.0), s.expires_at)
                        FROM submission s
                       WHERE s.id = m.submission_id
                    ) + interval '1 second'
                    ELSE now() + make_interval(secs => 10)
                  END,
         -- the gateway that is asked for the report at due_at
         asks = CASE
                  WHEN m.due_at IS NULL AND m.held_until IS NULL
                       OR submit.result IN ('throttled', 'released', 'resent')
                  THEN NULL
                  ELSE $1
                END,
         starts = m.starts - CASE WHEN submit.result IN ('throttled', 'released') THEN 1 ELSE 0 END,
         -- also counts releases, because the attempt of a message is its starts plus these
         throttles = CASE submit.result
                       WHEN 'throttled' THEN LEAST(m.throttles + CASE WHEN m.starts > 1 THEN 2 ELSE 1 END, 30000)
                       WHEN 'released' THEN LEAST(m.throttles + 1, 30000)
                       ELSE m.throttles
                     END
    FROM (
           SELECT *
             FROM unnest($2::uuid[], $3::integer[], $4::text[], $5::text[], $6::integer[])
                    AS submit(submission_id, n, result, gateway_message_id, retry_after_ms)
            ORDER BY submission_id, n
         ) AS submit -- as reports update messages
   WHERE m.submission_id = submit.submission_id
     AND m.n = submit.n
     AND CASE WHEN
           m.status = 'PENDING'
         THEN true END
  RETURNING m.submission_id, m.n, m.account_id, submit.result
), sent AS MATERIALIZED (
  SELECT m.submission_id, m.n, m.account_id
    FROM unnest($2::uuid[], $3::integer[], $4::text[], $5::text[], $6::integer[])
           AS submit(submission_id, n, result, gateway_message_id, retry_after_ms)
    JOIN message m ON m.submission_id = submit.submission_id AND m.n = submit.n
   WHERE submit.result = 'sent'
)
INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
SELECT uuidv7(), $1, submission_id, n, 'SUBMITTED', '000', 'Message sent', now()
  FROM sent
 WHERE account_id = ANY (ARRAY(
   SELECT w.account_id
     FROM webhook w
    WHERE w.account_id = ANY (ARRAY(SELECT account_id FROM sent))
      AND w.channel = 'chatapp'
      AND w.deleted_at IS NULL
      AND 'message.sent' = ANY(w.events)
 ))
ON CONFLICT (submission_id, n) WHERE status IN ('SUBMITTED', 'RECEIVED') DO NOTHING
RETURNING id, (SELECT set_config('synchronous_commit', 'on', true));
