WITH quiet AS MATERIALIZED (
  -- it ends tomorrow when today's end is past, on the clock of its zone
  SELECT r.prefix,
         (l.now::date + r.quiet_until
           + CASE WHEN l.now::time >= r.quiet_until THEN interval '1 day' ELSE interval '0' END
         ) AT TIME ZONE r.zone AS ends_at
    FROM unnest($4::text[], $5::time[], $6::time[], $7::text[])
           AS r(prefix, quiet_from, quiet_until, zone)
   CROSS JOIN LATERAL (SELECT now() AT TIME ZONE r.zone AS now) AS l
   WHERE CASE
           WHEN r.quiet_from < r.quiet_until
           THEN l.now::time >= r.quiet_from AND l.now::time < r.quiet_until
           ELSE l.now::time >= r.quiet_from OR l.now::time < r.quiet_until
         END
), free AS MATERIALIZED (
  SELECT f.*, COALESCE(
                CASE
                  WHEN s.cancelled_at IS NOT NULL THEN 'cancelled'
                  WHEN s.expires_at <= now() THEN 'expired'
                END,
                CASE WHEN
                  (s.lane NOT IN ('OTP', 'CHAT_OTP') AND (
                    SELECT o.sender
                      FROM opt_out o
                     WHERE o.account_id = s.account_id
                       AND o.recipient = f.recipient
                       AND CASE WHEN o.sender IN ('', s.sender) THEN true END
                     ORDER BY o.sender
                     LIMIT 1
                  ) IS NOT NULL)
                THEN 'opted_out' END
              ) AS ending
    FROM unnest($1::uuid[], $2::integer[])
           AS wanted(id, take)
    JOIN submission s ON s.id = wanted.id
   CROSS JOIN LATERAL (
     SELECT m.submission_id, m.n, m.recipient
       FROM message m
      WHERE m.submission_id = s.id
        AND m.held_until IS NOT NULL
        AND CASE WHEN
              m.status = 'PENDING'
            THEN true END
        AND (m.held_until <= now() OR s.cancelled_at IS NOT NULL OR s.expires_at <= now())
      ORDER BY m.held_until, m.n
      LIMIT wanted.take
        FOR UPDATE SKIP LOCKED
   ) AS f
), judged AS MATERIALIZED (
  SELECT free.*,
         CASE WHEN ending IS NULL THEN
           CASE WHEN EXISTS (SELECT FROM quiet) THEN (
             SELECT max(ends_at)
               FROM quiet
              WHERE starts_with(recipient, prefix)
           ) END
         END AS quiet_until
    FROM free
), ended AS (
  UPDATE message m
     SET (status, err_code, status_description, failed_at, moved_by) = (
           CASE WHEN ending IS NULL THEN 'PENDING' ELSE 'FAILED' END,
           CASE ending
             WHEN 'expired' THEN '901'
             WHEN 'cancelled' THEN '902'
             WHEN 'opted_out' THEN '903'
             WHEN 'sender_gone' THEN '904'
           END,
           CASE ending
             WHEN 'expired' THEN 'Expired before it could be submitted'
             WHEN 'cancelled' THEN 'Cancelled before it was submitted'
             WHEN 'opted_out' THEN 'The recipient has opted out'
             WHEN 'sender_gone' THEN 'The sender is no longer registered'
           END,
           CASE WHEN ending IS NOT NULL THEN now() END,
           CASE WHEN ending IS NOT NULL THEN ARRAY[uuidv7()] END
         ),
         held_until = NULL,
         due_at = NULL
    FROM judged j
   WHERE m.submission_id = j.submission_id
     AND m.n = j.n
     AND j.ending IS NOT NULL
  RETURNING m.submission_id, m.n, m.status, m.err_code, m.status_description, m.moved_by
), ended_events AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT moved_by[cardinality(moved_by)], '', submission_id, n,
         'FAILED', err_code, status_description, now()
    FROM ended
   WHERE status = 'FAILED'
  RETURNING id, submission_id, (SELECT set_config('synchronous_commit', 'on', true))
), held AS (
  UPDATE message m
     SET held_until = j.quiet_until, claimed_until = j.quiet_until, due_at = NULL
    FROM judged j
   WHERE m.submission_id = j.submission_id
     AND m.n = j.n
     AND j.quiet_until IS NOT NULL
), resting AS (
  -- a submission with held messages counts as not fanned out. Once all its recipients are stored, it waits until the
  -- first of them may be sent, or it expires
  UPDATE submission s
     SET held_until = LEAST(s.held_until, j.quiet_until),
         fanned_out_at = NULL,
         waits = s.waits OR s.fanned_upto = cardinality(s.recipients),
         listed = NOT s.waits AND s.fanned_upto < cardinality(s.recipients),
         due_at = CASE
                    WHEN s.fanned_upto < cardinality(s.recipients) THEN s.due_at
                    WHEN s.waits THEN LEAST(s.due_at, j.quiet_until)
                    ELSE LEAST(s.held_until, j.quiet_until, s.expires_at)
                  END
    FROM (
      SELECT submission_id, min(quiet_until) AS quiet_until
        FROM judged
       WHERE quiet_until IS NOT NULL
       GROUP BY submission_id
       ORDER BY submission_id
    ) AS j
   WHERE s.id = j.submission_id
), claimed AS (
  UPDATE message m
     SET lane = s.lane,
         claimed_until = now() + make_interval(secs => $3),
         starts = m.starts + 1,
         held_until = NULL,
         -- the last start: parked, unless this claim has an outcome
         due_at = CASE WHEN m.starts + 1 < 10 THEN now() + make_interval(secs => $3 + 1) ELSE 'infinity' END
    FROM judged j
    JOIN submission s ON s.id = j.submission_id
   WHERE m.submission_id = j.submission_id
     AND m.n = j.n
     AND j.ending IS NULL
     AND j.quiet_until IS NULL
  RETURNING m.submission_id AS "submissionId", m.account_id AS "accountId", m.n, m.recipient,
            m.starts + m.throttles AS attempt, m.credits, m.throttled_at AS "throttledAt",
            s.lane, s.sender, s.kind, s.content, s.sealed, s.expires_at AS "expiresAt"
), given AS MATERIALIZED (
  -- copied, so that values of megabytes are decompressed once for a submission, and not for each of its messages
  SELECT id, custom || '[]' AS custom
    FROM submission
   WHERE id = ANY(ARRAY(SELECT DISTINCT "submissionId" FROM claimed))
     AND custom IS NOT NULL
), taken AS (
  SELECT claimed.*, given.custom -> (claimed.n - 1) AS custom
    FROM claimed
    -- full only to rule out a nested loop: all values are those of claimed messages
    FULL JOIN given ON given.id = claimed."submissionId"
)
SELECT taken.*, r.ids AS "reportIds"
  FROM (SELECT array_agg(id) AS ids FROM ended_events) AS r
  LEFT JOIN taken ON true
 ORDER BY "submissionId", n;
