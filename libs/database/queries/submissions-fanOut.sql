WITH quiet AS MATERIALIZED (
  -- it ends tomorrow when today's end is past, on the clock of its zone
  SELECT r.prefix,
         (l.now::date + r.quiet_until
           + CASE WHEN l.now::time >= r.quiet_until THEN interval '1 day' ELSE interval '0' END
         ) AT TIME ZONE r.zone AS ends_at
    FROM unnest($3::text[], $4::time[], $5::time[], $6::text[])
           AS r(prefix, quiet_from, quiet_until, zone)
   CROSS JOIN LATERAL (SELECT now() AT TIME ZONE r.zone AS now) AS l
   WHERE CASE
           WHEN r.quiet_from < r.quiet_until
           THEN l.now::time >= r.quiet_from AND l.now::time < r.quiet_until
           ELSE l.now::time >= r.quiet_from OR l.now::time < r.quiet_until
         END
), chunk AS (
  UPDATE submission s
     SET fanned_from = s.fanned_upto,
         fanned_upto = LEAST(s.fanned_upto + 500, cardinality(s.recipients)),
         fanned_out_at = CASE WHEN s.fanned_upto + 500 >= cardinality(s.recipients) THEN now() END
    FROM (
           SELECT *
             FROM unnest($1::uuid[])
                    AS named(id)
            ORDER BY id
         ) AS named
   WHERE s.id = named.id
     AND NOT EXISTS (SELECT FROM quiet)
     AND CASE WHEN
           s.fanned_out_at IS NULL
           AND NOT s.waits
           AND s.rate_per_second IS NULL
           AND s.held_until IS NULL
         THEN true END
  RETURNING s.id, s.account_id, s.lane, s.sender, s.content, s.sealed, s.credits, s.custom, s.expires_at,
            s.fanned_from, s.fanned_upto, s.fanned_out_at,
            s.recipients[s.fanned_from + 1 : s.fanned_upto] AS recipients,
            s.credits_each[s.fanned_from + 1 : s.fanned_upto] AS credits_each,
            CASE
              WHEN s.cancelled_at IS NOT NULL THEN 'cancelled'
              WHEN s.expires_at <= now() THEN 'expired'
            END AS ending,
            (s.cancelled_at IS NOT NULL
             OR s.expires_at <= now()
             OR EXISTS (SELECT FROM quiet)
             OR s.lane <> 'OTP'
                AND EXISTS (SELECT FROM opt_out o WHERE o.account_id = s.account_id)) AS needs_checks
), done AS (
  DELETE FROM ready_sms
   WHERE ctid = ANY(ARRAY(
     SELECT found.ctid
       FROM (SELECT lane, account_id, id FROM chunk WHERE fanned_out_at IS NOT NULL) AS gone
      CROSS JOIN LATERAL (
        SELECT q.ctid
          FROM ready_sms q
         WHERE q.lane = gone.lane
           AND q.account_id = gone.account_id
           AND q.id = gone.id
        OFFSET 0
      ) AS found
   ))
), plain AS (
  -- chunks of which no message can end or be held: nearly all. Most have one recipient, which needs no unnest
  INSERT INTO message (submission_id, n, account_id, lane, recipient, status, credits, claimed_until, due_at)
  SELECT chunk.id, chunk.fanned_from + u.n, chunk.account_id, chunk.lane, u.recipient, 'PENDING',
         COALESCE(u.credits, chunk.credits), now() + make_interval(secs => $2),
         NULL::timestamptz -- not the default, which is for the previous version
    FROM chunk, unnest(chunk.recipients, chunk.credits_each) WITH ORDINALITY AS u(recipient, credits, n)
   WHERE NOT chunk.needs_checks
     AND cardinality(chunk.recipients) > 1
   UNION ALL
  SELECT chunk.id, chunk.fanned_upto, chunk.account_id, chunk.lane, chunk.recipients[1], 'PENDING',
         COALESCE(chunk.credits_each[1], chunk.credits), now() + make_interval(secs => $2),
         NULL::timestamptz
    FROM chunk
   WHERE NOT chunk.needs_checks
     AND cardinality(chunk.recipients) = 1
), checked AS (
  -- the other chunks: each recipient is checked for an ending first, then for quiet hours
  INSERT INTO message (submission_id, n, account_id, lane, recipient, credits, starts, claimed_until, held_until,
                       due_at, status, err_code, status_description, failed_at, moved_by)
  SELECT id, n, account_id, lane, recipient, credits,
         CASE WHEN quiet_until IS NULL THEN 1 ELSE 0 END,
         COALESCE(quiet_until, now() + make_interval(secs => $2)), quiet_until,
         NULL,
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
    FROM (
      SELECT chunk.id, chunk.fanned_from + u.n AS n, chunk.account_id, chunk.lane, u.recipient,
             COALESCE(u.credits, chunk.credits) AS credits, judged.ending,
             CASE WHEN judged.ending IS NULL THEN
               CASE WHEN EXISTS (SELECT FROM quiet) THEN (
                 SELECT max(ends_at)
                   FROM quiet
                  WHERE starts_with(u.recipient, prefix)
               ) END
             END AS quiet_until
        FROM chunk, unnest(chunk.recipients, chunk.credits_each) WITH ORDINALITY AS u(recipient, credits, n)
       CROSS JOIN LATERAL (
         SELECT COALESCE(
                  chunk.ending,
                  CASE WHEN
                    (chunk.lane NOT IN ('OTP', 'CHAT_OTP') AND (
                      SELECT o.sender
                        FROM opt_out o
                       WHERE o.account_id = chunk.account_id
                         AND o.recipient = u.recipient
                         AND CASE WHEN o.sender IN ('', chunk.sender) THEN true END
                       ORDER BY o.sender
                       LIMIT 1
                    ) IS NOT NULL)
                  THEN 'opted_out' END
                ) AS ending
         OFFSET 0 -- looked up once, and not again for each column that shows it
       ) AS judged
       WHERE chunk.needs_checks
    ) AS judged_message
  RETURNING submission_id, n, status, err_code, status_description, moved_by, held_until
), batch AS (
  INSERT INTO claim_batch (lane, due_at, messages, submission_ids, froms, uptos)
  SELECT lane, now() + make_interval(secs => $2 + 1),
         sum(fanned_upto - fanned_from), array_agg(id), array_agg(fanned_from), array_agg(fanned_upto)
    FROM chunk
   WHERE fanned_upto > fanned_from
   GROUP BY lane
), ended_events AS (
  INSERT INTO message_event (id, gateway, submission_id, n, status, err_code, description, reported_at)
  SELECT moved_by[cardinality(moved_by)], '', submission_id, n,
         'FAILED', err_code, status_description, now()
    FROM checked
   WHERE status = 'FAILED'
  RETURNING id, submission_id, (SELECT set_config('synchronous_commit', 'on', true))
)
SELECT id, account_id AS "accountId", sender, lane, content, sealed, expires_at AS "expiresAt",
       fanned_from AS "from", recipients, credits, credits_each AS "creditsEach",
       fanned_out_at IS NOT NULL AS complete,
       CASE WHEN custom IS NOT NULL THEN jsonb_path_query_array(
         custom, '$[$from to $upto]', jsonb_build_object('from', fanned_from, 'upto', fanned_upto - 1)
       ) END AS custom,
       CASE WHEN EXISTS (SELECT FROM checked WHERE status = 'FAILED' OR held_until IS NOT NULL) THEN (
         SELECT array_agg(n)
           FROM checked
          WHERE submission_id = chunk.id
            AND (status = 'FAILED' OR held_until IS NOT NULL)
       ) END AS skipped,
       CASE WHEN EXISTS (SELECT FROM ended_events) THEN (
         SELECT array_agg(r.id)
           FROM ended_events r
          WHERE r.submission_id = chunk.id
       ) END AS "reportIds"
  FROM chunk;
